"""Client of the Tidemark API."""

from .client import Tidemark
from .errors import (
    InvalidPathError,
    JobTimeoutError,
    NetworkError,
    RequestTimeoutError,
    SignatureError,
    StalledCursorError,
    TidemarkError,
    UnexpectedError,
)
from .generated import contract as types
from .generated import errors
from .generated.errors import *
from .jobs import Batch, Crawl, JobEvent, PageList
from .projects import ProjectHandle
from .response import Response
from .webhooks import verify_webhook

__version__ = "1.0.0"
__all__ = [
    "Batch",
    "Crawl",
    "InvalidPathError",
    "JobEvent",
    "JobTimeoutError",
    "NetworkError",
    "PageList",
    "ProjectHandle",
    "RequestTimeoutError",
    "Response",
    "SignatureError",
    "StalledCursorError",
    "Tidemark",
    "TidemarkError",
    "UnexpectedError",
    "errors",
    "types",
    "verify_webhook",
]
