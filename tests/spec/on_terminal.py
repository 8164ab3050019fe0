"""Runs a command with a terminal for its output and errors, and prints what it wrote there: on_terminal.py COMMAND... <INPUT"""

import os
import pty
import sys
import threading

data = sys.stdin.buffer.read()
to_read, to_write = os.pipe()
child, terminal = pty.fork()
if child == 0:
    os.dup2(to_read, 0)
    os.close(to_write)
    os.execvp(sys.argv[1], sys.argv[1:])
os.close(to_read)


def feed():
    try:
        os.write(to_write, data)
    except BrokenPipeError:
        pass
    os.close(to_write)


threading.Thread(target=feed).start()
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:  # the terminal is closed
        break
    if not part:
        break
    sys.stdout.buffer.write(part)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
