/**
 * A store that cannot be used now. The message names the store and the reason; a stack or a cause
 * would add nothing.
 */
export class StoreError extends Error {
  /** How an operator can fix it. */
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.name = 'StoreError';
    this.remedy = remedy;
  }
}

/** Why a store cannot be used, and how an operator can fix it. */
export interface StoreFailure {
  readonly reason: string;
  readonly remedy: string;
}

/**
 * A known cause of failures. The pattern is tested against the error's code, a blank and its
 * message. Without a `cause`, the driver's message is the reason. `SETTING` in the remedy stands
 * for the variable with the store's URL.
 */
export type FailureRow = readonly [
  matches: RegExp | ((error: Error) => boolean),
  cause: string | ((error: Error) => string) | undefined,
  remedy: string,
];

const noReply = 'look at its log and its load, or correct host, port and TLS in SETTING';

/** Failures of the network, a name server or TLS, as Node reports them. */
const networkRows: readonly FailureRow[] = [
  [
    /before secure TLS/,
    'it ended the connection before TLS began',
    'correct the port in SETTING, or leave TLS out of it',
  ],
  [/^ECONNREFUSED/, 'connection refused', 'start it, or correct SETTING'],
  [/^(ECONNRESET|EPIPE)/, 'connection lost', noReply],
  [/^ETIMEDOUT/, 'no reply', noReply],
  [/^EHOSTUNREACH/, 'host unreachable', "check this machine's network and firewall"],
  [/^ENETUNREACH/, 'network unreachable', "check this machine's network and firewall"],
  [/^(ENOTFOUND|ENODATA)/, 'unknown host', 'correct the host in SETTING'],
  [
    /^(EAI_AGAIN|ESERVFAIL)/,
    'the name server does not answer',
    "bring this machine's name server back",
  ],
  [
    /^(EMFILE|ENFILE)/,
    'too many files are open',
    'raise the limit of open files (LimitNOFILE=, ulimit -n)',
  ],
  [/^CERT_HAS_EXPIRED/, 'its certificate has expired', 'give it a certificate that is valid'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/,
    'its certificate is for another host',
    'correct the host in SETTING',
  ],
  [
    /^(\w*SELF_SIGNED\w*|UNABLE_TO_\w+|CERT_SIGNATURE_FAILURE) /,
    'its certificate is not trusted',
    'put the certificate of its authority into the file in NODE_EXTRA_CA_CERTS, or in tlsCAFile if SETTING has it, and restart',
  ],
  [
    /^(EPROTO|ERR_SSL_(WRONG_VERSION|PACKET_LENGTH))/,
    'it does not speak TLS',
    'correct the port in SETTING, or leave TLS out of it',
  ],
  [/^ERR_SSL_\w*CERTIFICATE_REQUIRED/, 'it requires a client certificate', 'name one in SETTING'],
  [/^ERR_OSSL_/, undefined, 'correct the certificate files in SETTING'],
];

/** Failures that both drivers report. */
const driverRows: readonly FailureRow[] = [
  [/(^|\s)(Socket timeout|Command timed out)|timed out$/, 'no reply', noReply],
  [/connection \d+ to \S+ closed/, 'connection lost', noReply],
];

/** The error and its causes, the innermost first. */
const chainOf = (thrown: unknown, depth = 0): readonly Error[] => {
  if (!(thrown instanceof Error) || depth > 4) return [];
  const causes: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown.cause];
  return [...causes.flatMap((cause) => chainOf(cause, depth + 1)), thrown];
};

/** The address that was tried, or the name that was looked up. */
const placeOf = (error: Error): string =>
  'address' in error && 'port' in error
    ? ` (${error.address}:${error.port})`
    : 'hostname' in error
      ? ` (${error.hostname})`
      : '';

const findRow = (thrown: unknown, rows: readonly FailureRow[]) => {
  for (const error of chainOf(thrown)) {
    const text = `${'code' in error ? error.code : ''} ${error.message}`;
    const row = rows.find(([matches]) =>
      matches instanceof RegExp ? matches.test(text) : matches(error),
    );
    if (row !== undefined) return { row, error };
  }
  return undefined;
};

/** True if the error or one of its causes is a failure of the network, a name server or TLS. */
export const isNetworkFailure = (thrown: unknown): boolean =>
  findRow(thrown, networkRows) !== undefined;

const oneLine = (text: string): string =>
  text.replaceAll(/\s+/g, (space) => (space.includes('\n') ? ' ' : space));

/**
 * Why a store failed and how to fix it: from the driver's rows, then from the network's. An unknown
 * failure has the driver's message, on one line, and the setting.
 */
export const explainFailure = (
  thrown: unknown,
  setting: string,
  rows: readonly FailureRow[] = [],
): StoreFailure => {
  const message = oneLine(thrown instanceof Error ? thrown.message : String(thrown));
  if (thrown instanceof StoreError) {
    const { remedy = `look at its log, or correct ${setting}` } = thrown;
    return { reason: message.replace(/^(MongoDB|Redis): /, ''), remedy };
  }
  const found = findRow(thrown, [...rows, ...networkRows, ...driverRows]);
  if (found === undefined)
    return { reason: message, remedy: `look at its log, or correct ${setting}` };
  const { error } = found;
  const [, cause = ({ message }) => oneLine(message), remedy] = found.row;
  const reason = typeof cause === 'string' ? `${cause}${placeOf(error)}` : cause(error);
  return { reason, remedy: remedy.replaceAll('SETTING', setting) };
};

/** Why a store failed, in words: `connection refused (127.0.0.1:6379)`. */
export const describeFailure = (thrown: unknown): string =>
  thrown instanceof StoreError ? thrown.message : explainFailure(thrown, '').reason;
