"""Opens connections that ask once and never read, but for the first, which takes 4 KB every 5 s, as on a network with ordinary segments: without these two options, which Node
cannot set, the kernel of the same machine takes a megabyte for the client. Prints a line when all have asked, and ends with its input.

python3 unread-answers.py PORT CONNECTIONS_A_KEY TARGET KEY...
"""

import select
import socket
import sys

port, connections, target, *keys = sys.argv[1:]
held = []
for key in keys:
    for _ in range(int(connections)):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1448)
        client.connect(("127.0.0.1", int(port)))
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
        held.append(client)
print(len(held), flush=True)
while not select.select([sys.stdin], [], [], 5)[0]:
    held[0].recv(4096)
