import type { ServerResponse } from 'node:http';

/** A client that has closed its side is probed at each of so many checks: none gets a probe with a short response. */
const checksPerProbe = 10;

/**
 * Creates a function that tells whether a response's client has disconnected. A client that has closed its side may still read
 * (`nc` does) or be gone, and only writing finds out: the first write is answered with a reset, the second fails. The probe is a
 * 102, which every client of HTTP/1.1 must skip (RFC 9110, 15.2).
 */
export const createGoneCheck = (response: ServerResponse): (() => boolean) => {
  const { req: request } = response;
  let checks = 0;
  return () => {
    checks += 1;
    const mayBeGone = request.socket.readableEnded && request.httpVersion === '1.1';
    if (mayBeGone && checks % checksPerProbe === 0) response.writeProcessing();
    return response.destroyed;
  };
};
