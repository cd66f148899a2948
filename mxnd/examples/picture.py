"""Draw lines, letters and small images, and write them as a PNG file."""
import struct
import zlib

import numpy as np

WHITE, BLACK, GREY = (255, 255, 255), (30, 30, 30), (205, 205, 205)
BLUE, ORANGE, RED, GREEN = (31, 100, 180), (225, 110, 10), (200, 30, 30), (30, 130, 60)

# Letters of 3 x 5 points: one octal digit a row, its bits from left to right.
LETTERS = {"A": "25755", "B": "65656", "C": "34443", "D": "65556", "E": "74647", "F": "74644", "G": "34553", "H": "55755",
           "I": "72227", "J": "11152", "K": "55655", "L": "44447", "M": "57755", "N": "65555", "O": "25552", "P": "65644",
           "Q": "25563", "R": "65655", "S": "34216", "T": "72222", "U": "55557", "V": "55522", "W": "55775", "X": "55255",
           "Y": "55222", "Z": "71247", "0": "75557", "1": "26227", "2": "71747", "3": "71317", "4": "55711", "5": "74717",
           "6": "74757", "7": "71122", "8": "75757", "9": "75717", ".": "00002", ",": "00024", ":": "02020", "-": "00700",
           "+": "02720", "=": "07070", "%": "51245", "/": "11244", "(": "12221", ")": "42224", ">": "42124", " ": "00000"}
UNKNOWN = "77777"


class Canvas:
    """A white sheet of width x height points, written on from the top left corner."""

    def __init__(self, width, height):
        self.points = np.full((height, width, 3), 255, np.uint8)

    def box(self, x, y, width, height, colour):
        """A filled rectangle; what lies outside the sheet is left out."""
        self.points[max(y, 0):max(y + height, 0), max(x, 0):max(x + width, 0)] = colour

    def frame(self, x, y, width, height, colour, thick=1):
        """The border of a rectangle."""
        self.box(x, y, width, thick, colour)
        self.box(x, y + height - thick, width, thick, colour)
        self.box(x, y, thick, height, colour)
        self.box(x + width - thick, y, thick, height, colour)

    def line(self, xs, ys, colour, thick=2):
        """A line through the points (xs, ys)."""
        for x0, y0, x1, y1 in zip(xs[:-1], ys[:-1], xs[1:], ys[1:]):
            steps = int(max(abs(x1 - x0), abs(y1 - y0))) + 1
            for t in np.linspace(0, 1, steps + 1):
                self.box(round(x0 + t * (x1 - x0)) - thick // 2, round(y0 + t * (y1 - y0)) - thick // 2, thick, thick, colour)

    def text(self, x, y, words, colour=BLACK, scale=2):
        """Words in capitals, their top left corner at (x, y)."""
        for i, letter in enumerate(words.upper()):
            for row, bits in enumerate(LETTERS.get(letter, UNKNOWN)):
                for column in range(3):
                    if int(bits, 8) & 4 >> column:
                        self.box(x + (4 * i + column) * scale, y + row * scale, scale, scale, colour)

    def image(self, x, y, grey, scale):
        """A small picture of numbers from 0 (white) to 1 (black), each a square of `scale` points."""
        shades = (255 - 255 * np.clip(grey, 0, 1)).astype(np.uint8)
        shades = shades.repeat(scale, 0).repeat(scale, 1)
        self.points[y:y + shades.shape[0], x:x + shades.shape[1]] = shades[:, :, None]

    def save(self, fname):
        """Write the sheet as a PNG file."""
        height, width, _ = self.points.shape
        rows = np.zeros((height, 1 + 3 * width), np.uint8)       # every row begins with its filter: none
        rows[:, 1:] = self.points.reshape(height, -1)
        with open(fname, "wb") as f:
            f.write(b"\x89PNG\r\n\x1a\n")
            for kind, content in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
                                  (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")):
                f.write(struct.pack(">I", len(content)) + kind + content)
                f.write(struct.pack(">I", zlib.crc32(kind + content)))


def curves(canvas, x, y, width, height, lines, title):
    """Curves over a common frame, on a logarithmic scale.

    lines: (label, colour, positive values) each; the values lie at equal steps from left to right."""
    low = min(min(values) for _, _, values in lines)
    high = max(max(values) for _, _, values in lines)
    bottom, top = np.floor(np.log10(low)), np.log10(high * 1.1)
    canvas.text(x, y - 18, title)
    for power in range(int(bottom), int(np.ceil(top)) + 1):
        level = y + height - round((power - bottom) / (top - bottom) * height)
        if level >= y:
            canvas.box(x, level, width, 1, GREY)
            canvas.text(x - 52, level - 5, f"{10.0 ** power:g}")
    canvas.frame(x, y, width, height, BLACK)
    for i, (label, colour, values) in enumerate(lines):
        xs = x + np.linspace(0, width - 1, len(values))
        ys = y + height - (np.log10(values) - bottom) / (top - bottom) * height
        canvas.line(xs, ys, colour)
        canvas.box(x + width - 190, y + 12 + 18 * i, 14, 6, colour)
        canvas.text(x + width - 168, y + 10 + 18 * i, label, colour)
