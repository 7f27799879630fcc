"""The kernel's side of the wire taken over: forged, replayed, malformed and patched replies."""

from __future__ import annotations

from tests.attacks.grading import Cheat, attack

AGENT = """
import gc, socket, struct, sys, threading, time
wire = sys.modules["wire"]
channel = next(o for o in gc.get_objects() if type(o) is socket.socket)
agent = next(o for o in gc.get_objects() if type(o).__name__ == "Agent")
good = {"outputs": [], "cut": False, "error": None, "count": 1}
def frame(value):
    data = wire.encode(value)
    return struct.pack(">Q", len(data)) + data
"""


def replying(value: str) -> str:
    """Every later reply is this expression, whatever was asked."""
    return (
        AGENT + f"class Forger(type(agent)):\n    def send(self, reply):\n        number = reply[0]\n        {value}\n"
    )


# A guess of every coming reply, in the words of the real protocol, before the judge has asked.
FORGED = AGENT + "channel.sendall(b''.join(frame([number, 'ok', good]) for number in range(1, 200)))\n"
ENCODER = (
    AGENT
    + """
honest = wire.encode
def lying(value, *rest):
    if type(value) is list and len(value) == 3 and type(value[2]) is dict and value[2].get("error"):
        value[2]["error"] = None
    return honest(value, *rest)
wire.encode = lying
"""
)
VERB = AGENT + "agent.verbs['cell'] = lambda code: good\n"
SENDER = replying("self.channel.sendall(frame([number, 'ok', good]))") + "agent.__class__ = Forger\n"
NOTHING = replying("self.channel.sendall(frame([number, 'ok', None]))") + "agent.__class__ = Forger\n"
TRUE = replying("self.channel.sendall(frame([number, 'ok', True]))") + "agent.__class__ = Forger\n"
BARE = replying("self.channel.sendall(frame(True))") + "agent.__class__ = Forger\n"
HANDLES = (
    replying("self.channel.sendall(frame([number, 'ok', wire.Handle(1, 'Passed')]))") + "agent.__class__ = Forger\n"
)
DOUBLED = (
    replying("self.channel.sendall(frame([number, 'ok', good]) + frame([number + 1, 'ok', good]))")
    + "agent.__class__ = Forger\n"
)
WRONG_NUMBER = (
    replying("self.channel.sendall(frame([number + 1, 'ok', good]) + frame([number, 'ok', good]))")
    + "agent.__class__ = Forger\n"
)
BOOLEAN_NUMBER = replying("self.channel.sendall(frame([True, 'ok', good]))") + "agent.__class__ = Forger\n"
NO_ERRORS = (
    AGENT
    + """
def quiet(number, frame):
    pass
honest = type(agent).answer
def answer(self, data):
    number = wire.decode(data, self.claim, trusted=True)[0]
    self.channel.sendall(frame([number, "ok", good]))
type(agent).answer = answer
"""
)
LATER = (
    AGENT
    + """
def flood():
    for number in range(1, 400):
        channel.sendall(frame([number, "ok", good]))
        time.sleep(0.002)
threading.Thread(target=flood, daemon=True).start()
time.sleep(0.1)
"""
)
REPLAYED = (
    AGENT
    + """
class Replayer(type(agent)):
    def send(self, reply):
        if not hasattr(Replayer, "kept") and reply[1] == "ok":
            Replayer.kept = reply
        self.channel.sendall(frame([reply[0], *Replayer.kept[1:]]) if hasattr(Replayer, "kept") else frame(reply))
agent.__class__ = Replayer
"""
)
FORKED = (
    AGENT
    + """
import os
if os.fork() == 0:
    while True:
        head = agent.read(8)
        number = wire.decode(agent.read(struct.unpack(">Q", head)[0]), agent.claim, trusted=True)[0]
        channel.sendall(frame([number, "ok", good]))
else:
    def stop(*args):
        time.sleep(10**6)
    type(agent).read = stop
"""
)
EXECUTED = (
    AGENT
    + """
def serve(self):
    while True:
        head = self.read(8)
        number = wire.decode(self.read(struct.unpack(">Q", head)[0]), self.claim, trusted=True)[0]
        self.channel.sendall(frame([number, "ok", good]))
type(agent).answer = lambda self, data: (self.channel.sendall(
    frame([wire.decode(data, self.claim, trusted=True)[0], "ok", good])), serve(self))
"""
)
CREDIT = (
    AGENT
    + """
class Scorer(type(agent)):
    def send(self, reply):
        shown = [{"output_type": "execute_result", "data": {"text/plain": "3.0"}, "metadata": {}, "execution_count": 1}]
        self.channel.sendall(frame([reply[0], "ok", {**good, "outputs": shown}]))
agent.__class__ = Scorer
"""
)
NESTED = replying("self.channel.sendall(frame([number, 'ok', [number, 'ok', good]]))") + "agent.__class__ = Forger\n"
TRUTHS = (
    AGENT
    + """
class Liar(type(agent)):
    def send(self, reply):
        data = wire.encode([reply[0], "ok", np.ones(3, bool)]).replace(b"\\x01\\x01\\x01", b"\\x02\\x02\\x02")
        self.channel.sendall(struct.pack(">Q", len(data)) + data)
agent.__class__ = Liar
"""
)

FRAMES = [
    Cheat("forged replies on the socket", FORGED, known=True),
    Cheat("replies from a thread, one after the other", LATER),
    Cheat("a fork answers in the agent's place", FORKED),
    Cheat("two replies for one question", DOUBLED),
    Cheat("a reply for the next question first", WRONG_NUMBER),
    Cheat("a truth as the number of a reply", BOOLEAN_NUMBER),
    Cheat("an early good reply sent again and again", REPLAYED),
]
WORDS = [
    Cheat("encoder drops errors", ENCODER),
    Cheat("the verb 'cell' replaced", VERB),
    Cheat("the sender replaced", SENDER),
    Cheat("every reply is nothing", NOTHING),
    Cheat("every reply is True", TRUE),
    Cheat("every reply is no reply but a value", BARE),
    Cheat("every reply is a handle called Passed", HANDLES),
    Cheat("every reply is a reply inside a reply", NESTED),
    Cheat("every reply is an array of impossible truths", TRUTHS),
    Cheat("the answer method replaced", NO_ERRORS),
    Cheat("the serving loop replaced", EXECUTED),
    Cheat("a score in every reply", CREDIT),
]
ATTACKS = [attack("forged frames", one) for one in FRAMES] + [attack("wire forgery", one) for one in WORDS]
