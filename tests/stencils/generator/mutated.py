"""Claim: any text gives kernels or one error that names file, line and column, soon; texts are the stencils of the tree with parts taken out,
doubled, swapped and replaced by words of the language, 400 of them, the same each time.
usage: mutated.py [NUMBER [SEED]]"""
import random
import re
import sys
import time
import traceback

from generator import ROOT, Source, StencilError, c_of, deep

WORD = re.compile(r"\d+\.?\d*(?:[eE][-+]?\d+)?|\w+|\s+|.", re.S)
SOON = 5  # s of this process
EXTRA = "( ) [ ] { } , ; : ? = == < <= && || ! + - * / ^ ' ? . 0 1 2 1e308 1e999 1e-400 99999999999999999999 -1 i j dx dy dt if let reads table params # // \" @ \0 \n é".split(" ")


def mutated(words, vocabulary, draw):
    words = list(words)
    for _ in range(draw.choice((1, 1, 2, 3, 8))):
        at, how = draw.randrange(len(words)), draw.randrange(7)
        end = min(len(words), at + draw.choice((1, 2, 5, 20)))
        if how == 0:
            del words[at:end]
        elif how == 1:
            words[at:at] = words[at:end] * draw.choice((1, 2, 50))
        elif how == 2:
            words[at] = draw.choice(vocabulary)
        elif how == 3:
            words.insert(at, draw.choice(vocabulary))
        elif how == 4:
            to = draw.randrange(len(words))
            words[at], words[to] = words[to], words[at]
        elif how == 5:
            words[at:at] = ["("] * draw.choice((1, 30, 3000))
        else:
            words[at:] = words[at:end]
        words = words or ["\n"]
    return "".join(words)


def main(number, seed):
    texts = [path.read_text(encoding="utf-8") for path in sorted(p for top in ("apps", "stencils") for p in (ROOT / top).glob("*/*.stencil"))]
    cut = [WORD.findall(text) for text in texts]
    vocabulary = sorted({word for words in cut for word in words}) + EXTRA * 8
    draw, wrong, good = random.Random(seed), {}, 0
    for k in range(number):
        text, start = mutated(draw.choice(cut), vocabulary, draw), time.process_time()
        try:
            good += bool(c_of(text))
            what = None
        except StencilError as error:
            said = error.text(Source("a.stencil", text))
            what = None if re.match(r"a\.stencil:\d+:\d+: error: .", said) else "an error without its place: %s" % said
        except BaseException as error:  # whatever it is, RecursionError and MemoryError too
            frame = traceback.extract_tb(error.__traceback__)[-1]
            what = "%s in %s:%d: %s" % (type(error).__name__, frame.filename.split("/")[-1], frame.lineno, error)
        if time.process_time() - start > SOON:
            what = "%.0f s" % (time.process_time() - start)
        if what and what[:60] not in wrong:
            wrong[what[:60]] = "text %d of seed %d: %s:\n%s" % (k, seed, what, text[:1500])
    if not 0 < good < number:
        wrong["none"] = "%d of %d texts are good" % (good, number)
    return wrong


if __name__ == "__main__":
    found = deep(lambda: main(*([int(word) for word in sys.argv[1:3]] + [400, 1][len(sys.argv) - 1 :])))
    if found:
        sys.exit("claim fails:\n" + "\n\n".join(found.values()))
