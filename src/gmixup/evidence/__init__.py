"""Evidence: statistics, tables, plots and pages made of finished runs; nothing here trains."""
