"""Writes documents with cairo: text that a program draws piece by piece."""
import sys

import cairo

out = sys.argv[1]
surface = cairo.PDFSurface(out + "/cairo.pdf", 595, 842)
context = cairo.Context(surface)
for page, family in enumerate(["DejaVu Sans", "DejaVu Serif"], start=1):
    context.select_font_face(family)
    context.set_font_size(14)
    y = 60
    for line in [
        f"Page {page} was drawn by cairo.",
        "The official café serves waffles and crème brûlée.",
        "Καλημέρα κόσμε, πώς είστε σήμερα;",
        "Съешь же ещё этих мягких французских булок.",
        "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    ]:
        context.move_to(50, y)
        context.show_text(line)
        y += 22
    for left, column in [(50, ["Left column", "has three", "short lines"]), (320, ["Right column", "has three", "lines as well"])]:
        for row, line in enumerate(column):
            context.move_to(left, y + 30 + row * 20)
            context.show_text(line)
    x = 50
    for word in "Words that are placed one by one".split():
        context.move_to(x, y + 120)
        context.show_text(word)
        x += context.text_extents(word).x_advance + 5
    context.show_page()
surface.finish()
