"""Writes the tiny models and their models.yaml: python -m tests.tiny OUT"""

import sys
from pathlib import Path

from . import make_all

if len(sys.argv) != 2:
    sys.exit(__doc__)
make_all(Path(sys.argv[1]))
