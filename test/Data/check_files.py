"""Reads the files of data-test by independent readers: NumPy, an XML parser, a TFRecord reader in this file.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import glob
import os
import struct
import sys
import xml.etree.ElementTree as xml

import numpy


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 & -(crc & 1))
    return crc ^ 0xFFFFFFFF


def unmask(value):
    value = (value - 0xA282EAD8) & 0xFFFFFFFF
    return ((value << 15) | (value >> 17)) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Number and value of each field of a protocol buffer message."""
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[kind]
            value, at = struct.unpack("<d" if size == 8 else "<f", data[at:at + size])[0], at + size
        found.append((key >> 3, value))
    return found


def check_events(folder):
    path = max(glob.glob(os.path.join(folder, "events", "events.out.tfevents.*")), key=os.path.getmtime)
    data, at, events = open(path, "rb").read(), 0, []
    while at < len(data):
        size, size_crc = struct.unpack_from("<QI", data, at)
        assert unmask(size_crc) == crc32c(data[at:at + 8])
        body = data[at + 12:at + 12 + size]
        assert unmask(struct.unpack_from("<I", data, at + 12 + size)[0]) == crc32c(body)
        events.append(fields(body))
        at += 16 + size
    assert events[0][1] == (3, b"brain.Event:2"), events[0]
    scalars, last = [], dict(events.pop())
    assert last[2] == 250 and dict(fields(last[7])) == {1: 1}, last  # a start at step 250
    for event in events[1:]:
        event = dict(event)
        assert event[1] > 1.6e9
        value = dict(fields(dict(fields(event[5]))[1]))
        scalars.append((value[1].decode(), event[2], value[2]))
    assert scalars[:2] == [("loss", 1, 1.0), ("loss", 2, 0.5)], scalars[:2]
    assert scalars[299][1] == 300 and scalars[300] == ("rate", 1 << 40, -2.5), scalars[299:]


def check_charts(folder):
    space = "{http://www.w3.org/2000/svg}"
    for name, lines in [("loss", 2), ("empty", 0), ("point", 1)]:
        root = xml.parse(os.path.join(folder, name + ".svg")).getroot()
        polylines = root.findall(space + "polyline")
        assert len(polylines) == lines, name
        for line in polylines:
            for point in line.get("points").split():
                x, y = map(float, point.split(","))
                assert 70 <= x <= 700 and 40 <= y <= 370, (name, point)
    points = xml.parse(os.path.join(folder, "loss.svg")).getroot().findall(space + "polyline")[0].get("points").split()
    assert len(points) == 100  # 101, less one NaN


def check_arrays(folder):
    for name, dtype, shape in [("f32", "<f4", (3, 4)), ("f64", "<f8", (12,)), ("f16", "<f2", (2, 1, 6)),
                               ("i32", "<i4", ()), ("i64", "<i8", (0, 5)), ("u8", "u1", (5,)), ("i8", "i1", (2,)),
                               ("i16", "<i2", (7,)), ("i1", "?", (3,))]:
        array = numpy.load(os.path.join(folder, name + ".npy"))
        assert array.dtype == numpy.dtype(dtype) and array.shape == shape, (name, array.dtype, array.shape)
        expected = bytes(i % 2 for i in range(96))[:array.nbytes]
        assert array.tobytes() == expected, name


if __name__ == "__main__":
    check_events(sys.argv[1])
    check_charts(sys.argv[1])
    check_arrays(sys.argv[1])
