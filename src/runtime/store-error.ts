/**
 * A store that cannot be used now. The message names the store and says why in words; a stack or a
 * cause would add nothing.
 */
export class StoreError extends Error {
  /** What an operator does about it. */
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.name = 'StoreError';
    this.remedy = remedy;
  }
}

/** Why a store cannot be used, and what an operator does about it. */
export interface StoreFailure {
  readonly reason: string;
  readonly remedy: string;
}

const untrusted = 'its certificate is not trusted';
const plain = 'it does not speak TLS';
const cutBeforeTls = 'it ended the connection before TLS began';

/** What Node says of a server that closes the connection where it should speak TLS. */
const tlsCut = /disconnected before secure TLS connection/;

/** What the codes of Node's network, DNS and TLS errors mean. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'unknown host',
  ENODATA: 'unknown host',
  EAI_AGAIN: 'the name server does not answer',
  ESERVFAIL: 'the name server does not answer',
  EMFILE: 'too many files are open in this process',
  ENFILE: 'too many files are open on this machine',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted, // by an authority with the name of a trusted one
  EPROTO: plain,
  ERR_SSL_WRONG_VERSION_NUMBER: plain,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: plain,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it wants a certificate of the client',
};

/** What the drivers say of what has no code. */
const driverTexts: readonly (readonly [said: RegExp, meaning: string])[] = [
  [/^(Socket timeout|Command timed out)|timed out$/, 'no answer'],
  [/\bconnection \d+ to \S+ closed\b/, 'connection lost'],
  [
    /^(WRONGPASS|NOAUTH|ERR AUTH|ERR invalid password)|authentication failed/i,
    'user or password refused',
  ],
];

interface NetworkFailure {
  readonly meaning: string;
  /** The address that was tried, or the name that was looked up. */
  readonly place: string | undefined;
}

const placeOf = (error: Error): string | undefined => {
  if ('address' in error && 'port' in error)
    return `${String(error.address)}:${String(error.port)}`;
  return 'hostname' in error ? String(error.hostname) : undefined;
};

/** Errors that this one was made from, the nearest first. */
const causesOf = (error: Error): unknown[] =>
  error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause];

const findFailure = (thrown: unknown, depth = 0): NetworkFailure | undefined => {
  if (!(thrown instanceof Error) || depth > 4) return undefined;
  for (const cause of causesOf(thrown)) {
    const found = findFailure(cause, depth + 1);
    if (found !== undefined) return found;
  }
  const meaning = tlsCut.test(thrown.message)
    ? cutBeforeTls
    : 'code' in thrown
      ? meanings[String(thrown.code)]
      : undefined;
  return meaning === undefined ? undefined : { meaning, place: placeOf(thrown) };
};

/** Whether the network, a name server or TLS failed, here or in a cause. */
export const isNetworkFailure = (thrown: unknown): boolean => findFailure(thrown) !== undefined;

/**
 * Why a store failed, in words: `connection refused (127.0.0.1:6379)`. For other failures the
 * message, on one line.
 */
export const describeFailure = (thrown: unknown): string => {
  const { meaning, place } = findFailure(thrown) ?? {};
  if (meaning !== undefined) return place === undefined ? meaning : `${meaning} (${place})`;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const known = driverTexts.find(([said]) => said.test(text))?.[1];
  return known ?? text.replaceAll(/\s+/g, (space) => (space.includes('\n') ? ' ' : space));
};

/** What to do about a reason, as `describeFailure` words it. */
const remedies: readonly (readonly [
  reason: RegExp,
  remedy: (setting: string, authorityFile: string | undefined) => string,
])[] = [
  [/password refused/, (setting) => `correct the user and the password in ${setting}`],
  [
    new RegExp(untrusted),
    (_setting, authorityFile) =>
      authorityFile === undefined
        ? 'set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority'
        : `put the certificate of its authority into ${authorityFile} and restart the gateways: they read it once`,
  ],
  [/certificate has expired/, () => 'give it a certificate that is valid'],
  [/unknown host|for another host/, (setting) => `correct the host in ${setting}`],
  [/name server/, () => "bring this machine's name server back"],
  [/host unreachable|network unreachable/, () => "check this machine's network and firewall"],
  [/too many files/, () => 'raise the limit of open files (LimitNOFILE=, ulimit -n)'],
  [
    new RegExp(`${plain}|${cutBeforeTls}`),
    (setting) => `correct the port in ${setting}, or leave TLS out of it`,
  ],
  [
    /^(no answer|connection lost)/,
    (setting) => `look at its log and its load, or correct host, port and TLS in ${setting}`,
  ],
];

/**
 * What an operator does about a store that cannot be used for this reason, as `describeFailure`
 * words it. Where a connection has an `authorityFile`, Node ignores `NODE_EXTRA_CA_CERTS`.
 */
export const remedyFor = (reason: string, setting: string, authorityFile?: string): string =>
  remedies.find(([said]) => said.test(reason))?.[1](setting, authorityFile) ??
  `start it, or correct ${setting}`;

/** Why a store failed, without its name, and what to do, of any error. */
export const explainStoreError = (thrown: unknown, setting: string): StoreFailure => {
  const reason = describeFailure(thrown).replace(/^[A-Z]\w+: /, '');
  const known = thrown instanceof StoreError ? thrown.remedy : undefined;
  return { reason, remedy: known ?? remedyFor(reason, setting) };
};
