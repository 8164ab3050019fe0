"""An independent judge of the lenient value reader: for any bytes its output is one valid JSON value.

usage: json_judge.py TEST_JSON_SUITE FILE [ROUNDS]
Random bytes, random JSON and the texts of FILE, all mutated, go through the reader with random flags; Python's own json reads
what comes out, as strict UTF-8.
"""
import json, random, subprocess, sys

program, file = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 6000
random.seed(7)
LENIENT, PYTHON = 1, 2
pieces = [b'{', b'}', b'[', b']', b',', b':', b'"', b"'", b'`', b'\\', b'\\u', b'd83d', b'\\ud83d\\ude00', b'null', b'True', b'None', b'NaN',
          b'-Infinity', b'1', b'-0', b'01', b'.5', b'5.', b'1e', b'1e400', b'+1', b'0x1F', b'//', b'/*', b'*/', b'#', b'\n', b' ', b'\t', b'\x00', b'\xff',
          b'\xc3', b'\xa9', b'\xe2\x82', b'\xf0\x9f\x98\x8a', b'a', b'key', b'New York', b'"""', b"'''", b'r"', b"b'", b'(', b')', b'=', b'<|"|>', b'<', b'\\x4', b'\\n']
seeds = []
for line in map(json.loads, open(file, encoding='utf-8')):
    data = line['text'].encode() if 'text' in line else bytes.fromhex(line['hex'])
    if len(data) < 4000:
        seeds.append(data)
seeds += [json.dumps({'a': [1, 'x\n', {'b': None}], 'c': -1.5e3}).encode(), b"{'name': 'f', args: {x: True,}}"]

def make():
    kind = random.randrange(3)
    if kind == 0:
        return b''.join(random.choice(pieces) for _ in range(random.randrange(14)))
    data = bytearray(random.choice(seeds))
    if kind == 1:
        return bytes(data)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(data) + 1)
        what = random.randrange(3)
        if what == 0:
            data[at:at] = random.choice(pieces)
        elif what == 1:
            del data[at:at + random.randrange(1, 4)]
        else:
            del data[at:]
    return bytes(data)

inputs = []
for i in range(rounds):
    inputs.append((make(), PYTHON if i % 3 == 0 else LENIENT))
feed = b''.join(b'%d %d\n' % (len(data), flags) + data for data, flags in inputs)
out = subprocess.run([program], input=feed, stdout=subprocess.PIPE, check=True).stdout
at = bad = 0
for data, flags in inputs:
    end = out.index(b'\n', at)
    n = int(out[at:end])
    text = out[end + 1:end + 1 + max(n, 0)]
    at = end + 1 + max(n, 0)
    if n == -2:  # no value
        continue
    try:
        if n < 0:
            raise ValueError('the cut made a difference')
        json.loads(text.decode('utf-8'), parse_constant=lambda c: 1 / 0)
    except (ValueError, ZeroDivisionError, RecursionError) as e:
        bad += 1
        if bad <= 8:
            print(f'flags {flags:#x}: {data!r}\n  -> {text!r}: {e}')
    try:  # strict JSON passes as it is
        if not flags & PYTHON:
            json.loads(data.decode('utf-8'), parse_constant=lambda c: 1 / 0)
            if n >= 0 and text.strip(b' \t\r\n') != data.strip(b' \t\r\n'):
                bad += 1
                print(f'flags {flags:#x}: strict {data!r}\n  -> {text!r}')
    except (ValueError, ZeroDivisionError, RecursionError):
        pass
print(f'{rounds} inputs, {bad} bad')
sys.exit(bad != 0)
