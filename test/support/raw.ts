import { type IncomingHttpHeaders, request as openRequest } from 'node:http';

/** What a client says, byte for byte: nothing is normalised or encoded on the way. */
export interface RawRequest {
  readonly method?: string | undefined;
  /** The request target. */
  readonly path: string;
  /** A list of values is sent as so many headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
}

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Names as they were sent, and values, in turn. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
  /** The bytes of the body as they came. */
  readonly body: Buffer;
}

/** Sends one request on a connection of its own. Rejects when the response is cut short. */
export const sendRaw = (port: number, { method = 'GET', path, headers = {} }: RawRequest): Promise<RawReply> =>
  new Promise((resolve, reject) => {
    const outgoing = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
    );
    const request = openRequest(
      { host: '127.0.0.1', port, method, path, headers: outgoing, agent: false },
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
