import type { SettingError } from '../../../src/runtime/config.ts';
import { unknownOption, unusableUrl } from '../store-url.ts';

const named = (what: (name: string) => string) => (name: string) =>
  /^[A-Za-z]{1,40}$/.test(name) ? what(`"${name}"`) : what('one');

/**
 * What the driver says of a URL that it refuses, and the cause in our words: its own repeat values.
 * The first group is the name of an option.
 */
const causes: readonly (readonly [said: RegExp, cause: (name: string) => string])[] = [
  [
    /^options? (\S+?),?(?: \S+)* (?:is|are) not supported$/,
    (name) => unknownOption(name, 'the driver does not know it'),
  ],
  [
    /^URI option "(\w+)" cannot appear more than once/,
    named((name) => `its option ${name} is there twice`),
  ],
  [
    /^URI option "(\w+)" cannot be specified with no value/,
    named((name) => `its option ${name} has no value`),
  ],
  [
    /^(?:Expected |Option ')?(\w+)'? (?:must|can only|to be|one of)/,
    named((name) => `its option ${name} has a value that the driver does not know`),
  ],
  [
    /compression mechanism/,
    () => 'its option "compressors" has a value that the driver does not know',
  ],
  [
    /key value pairs/,
    () => 'its option "authMechanismProperties" has a value that the driver does not know',
  ],
  [/^tls\/ssl must/, () => 'its option "tls" must be true or false'],
  [/directConnection/, () => 'directConnection=true is for one host, and not for mongodb+srv://'],
  [/load ?balanc/i, () => 'loadBalanced=true is for one host, without replicaSet'],
  [/multiple service names/, () => 'mongodb+srv:// has one host'],
  [/cannot have port number/, () => 'mongodb+srv:// has no port'],
  [/hostname, domain name/, () => 'mongodb+srv:// needs a host with a domain'],
  [/srv/i, () => 'its options that begin with "srv" are for mongodb+srv://, without replicaSet'],
  [/tls|ssl/i, () => 'its options about TLS contradict each other'],
  [/empty userinfo/, () => 'its user is empty: write USER:PASSWORD@ before the host, or nothing'],
  [
    /username|password|credentials|authMechanism|authSource/i,
    () => 'its user, password and authMechanism do not fit together',
  ],
];

/** The error of a URL that the driver refuses. Its message never repeats a value of the URL. */
export const unusableMongoUrl = (error: unknown): SettingError => {
  const said = error instanceof Error ? error.message : '';
  for (const [pattern, cause] of causes) {
    const match = pattern.exec(said);
    if (match === null) continue;
    return unusableUrl('MONGODB_URL', cause(match[1] ?? ''));
  }
  return unusableUrl('MONGODB_URL', 'its options contradict each other or have unknown values');
};
