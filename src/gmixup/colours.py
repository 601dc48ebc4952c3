"""Colours: what all figures and pages are drawn in, told apart by colour-blind people too."""

INK, FAINT, FRAME = "#22223b", "#8d99ae", "#d8dde6"
# From paper to ink, evenly darker: light where edges are rare, so that hubs stand out.
SHADES = ("#fcfbf6", "#d9eadd", "#93cdc1", "#459fb2", "#2a6a99", "#2a3370", "#150f2d")
# Okabe and Ito (2008), the yellow left out: it does not show on paper.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
