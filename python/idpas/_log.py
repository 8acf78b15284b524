"""Messages go to ``logging``, under the name ``idpas``."""

from __future__ import annotations

import logging

log = logging.getLogger("idpas")
log.addHandler(logging.NullHandler())
