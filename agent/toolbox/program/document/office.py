"""Saves an office document as a PDF with LibreOfficeKit, whose C interface is in LibreOfficeKit.h.

Unlike soffice, it starts no other program and listens on no socket.
"""

import ctypes
import os
import sys


class Office(ctypes.Structure):
    pass


class Document(ctypes.Structure):
    pass


class OfficeMethods(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("destroy", ctypes.CFUNCTYPE(None, ctypes.POINTER(Office))),
        ("load", ctypes.CFUNCTYPE(ctypes.POINTER(Document), ctypes.POINTER(Office), ctypes.c_char_p)),
    ]


class DocumentMethods(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("destroy", ctypes.CFUNCTYPE(None, ctypes.POINTER(Document))),
        ("save", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Document), ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)),
    ]


Office._fields_ = [("methods", ctypes.POINTER(OfficeMethods))]
Document._fields_ = [("methods", ctypes.POINTER(DocumentMethods))]

folder, profile, source, made = (os.fsencode(a) for a in sys.argv[1:])
start = ctypes.CDLL(os.path.join(folder, b"libmergedlo.so")).libreofficekit_hook_2
start.argtypes, start.restype = [ctypes.c_char_p, ctypes.c_char_p], ctypes.POINTER(Office)
office = start(folder, profile)
document = office.contents.methods.contents.load(office, source) if office else None
saved = document and document.contents.methods.contents.save(document, made, b"pdf", None)
os._exit(0 if saved else 1)  # LibreOffice may crash while it ends
