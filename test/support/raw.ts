import { type Agent, type IncomingHttpHeaders, request as openRequest } from 'node:http';

/** A request that is sent byte for byte: neither normalised nor encoded. */
export interface RawRequest {
  readonly method?: string | undefined;
  /** The request target. */
  readonly path: string;
  /** A list of values is sent as one header each. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Alternating names, in the case they were sent in, and values. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
  /** The bytes of the body, still encoded. */
  readonly body: Buffer;
}

/**
 * Sends one request, on a connection of its own or one of the agent's. Rejects when the response is
 * cut short.
 */
export const sendRaw = (
  port: number,
  { method = 'GET', path, headers = {} }: RawRequest,
  agent: Agent | false = false,
): Promise<RawReply> =>
  new Promise((resolve, reject) => {
    const outgoing = Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, typeof value === 'string' ? value : [...value]]],
      ),
    );
    const request = openRequest(
      { host: '127.0.0.1', port, method, path, headers: outgoing, agent },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const body = Buffer.concat(chunks);
          const { statusCode: status = 0, headers, rawHeaders } = response;
          resolve({ status, headers, rawHeaders, text: body.toString(), body });
        });
      },
    );
    request.on('error', reject);
    request.end();
  });
