"""XML from strangers, and XML for them."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ..exceptions import FormatError

__all__ = ["checked_xml", "parsed_xml"]

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def checked_xml(text: str) -> str:
    """Return the text if XML can hold it.

    Raises
    ------
    FormatError
        When it has a control character; no escape would make that XML.
    """
    match = _NOT_IN_XML.search(text)
    if match is not None or text != text.strip() or not text:
        raise FormatError(
            f"{text!r} cannot be written as XML: it is empty, begins or ends with a blank, "
            "or has a control character; rename it first"
        )
    return text


def parsed_xml(text: str) -> ElementTree.Element:
    """Return the root of an XML text.

    Raises
    ------
    FormatError
        When the text is not XML, or defines entities: small files can grow without bound
        through them, and none of our formats needs any.
    """
    if "<!ENTITY" in text:
        raise FormatError("the file defines XML entities, which are not read for safety")
    try:
        return ElementTree.fromstring(text)  # noqa: S314 - entities are refused above
    except ElementTree.ParseError as error:
        raise FormatError(f"the file is not XML: {error}") from None
