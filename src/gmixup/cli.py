"""The command `gmixup`: finds the command that is asked for, and says in a sentence what failed."""

import os
import sys
import traceback
import warnings
from collections.abc import Sequence

from cyclopts import App, CycloptsError, UnusedCliTokensError

from gmixup import __version__
from gmixup.commands._words import FailedRunsError, WrongUseError
from gmixup.commands.augment import augment
from gmixup.commands.compare import compare
from gmixup.commands.demo import demo
from gmixup.commands.doctor import doctor
from gmixup.commands.estimate import estimate
from gmixup.commands.report import report
from gmixup.commands.reproduce import reproduce
from gmixup.commands.train import train

# Small tensor work on two threads that share a core takes 5 to 70 times as long as on one. The
# libraries read these when they are first imported, so they are set before; the user's values win.
THREAD_SETTINGS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")

# Errors whose words are meant for the user; others are told with their kind.
EXPECTED = (CycloptsError, WrongUseError, FailedRunsError, ValueError, OSError, ImportError)

COMMANDS = (demo, estimate, augment, train, compare, reproduce, report, doctor)

app = App(
    name="gmixup",
    version=__version__,
    help="Graphon-based augmentation for graph classification.",
    help_epilogue="Each command takes --help, and --debug for the traceback of an error.",
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
)
for command in COMMANDS:
    app.command(command)


def main(words: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code: 0 done, 1 failed, 2 wrong use."""
    for setting in THREAD_SETTINGS:
        os.environ.setdefault(setting, "1")
    words = list(sys.argv[1:] if words is None else words)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        with warnings.catch_warnings():
            if not debug:
                warnings.showwarning = _warn
            app(words, exit_on_error=False, print_error=False, result_action="return_none")
        return 0
    except (CycloptsError, WrongUseError, NotADirectoryError) as error:
        return _fail(error, 2, debug)
    except (Exception, KeyboardInterrupt) as error:
        return _fail(error, 1, debug)


def _warn(message: Warning | str, *_: object) -> None:
    """Says a warning without the line of code that it came from."""
    print("gmixup:", *str(message).split(), file=sys.stderr)


def _fail(error: BaseException, code: int, debug: bool) -> int:
    """Says in one sentence what went wrong."""
    if debug:
        traceback.print_exception(error)
    else:
        sentence = " ".join(str(error).split())
        if isinstance(error, UnusedCliTokensError):
            words = " ".join(error.unused_tokens or ())
            sentence = f"{words!r} is more than the command takes; see gmixup COMMAND --help"
        if not isinstance(error, EXPECTED):
            sentence = f"{type(error).__name__} {sentence}".rstrip()
        print(f"gmixup: {sentence}", file=sys.stderr)
    return code
