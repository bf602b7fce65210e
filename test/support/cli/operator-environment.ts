import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { formNames } from '../../../adapters/forms/forms.ts';
import { keyMembers } from '../../../adapters/stores/documents/key-documents.ts';
import { openMongo } from '../../../adapters/stores/mongodb/connection.ts';
import { mongodb } from '../../../adapters/stores/mongodb/database.ts';
import { keyIdIn } from '../../../src/keys/key-format.ts';
import { buildKey } from '../builders.ts';
import { useStarted } from '../cleanup.ts';
import { startMongoServer } from '../mongo-server.ts';
import { startRedisServer } from '../redis-server.ts';
import type { CommandResult, Settings } from './run.ts';
import { runWarm } from './run.ts';

export const readScopes = 'artists:read,spikes:read,signings:read';

/** A key of acme with the three read scopes, as it is stored. */
export const keyDocument = (given: Parameters<typeof buildKey>[0]) => {
  const scopes = ['artists:read', 'spikes:read', 'signings:read'] as const;
  const { record } = buildKey({ organizationId: 'acme', scopes, perHour: undefined, ...given });
  return { _id: record.id, hash: record.hash, ...keyMembers(record) };
};

interface OperatorEnvironmentOptions {
  readonly redis?: boolean;
  /** Environment variables in addition to the variables of the stores. */
  readonly settings?: Settings;
}

/** Starts an operator's machine: real servers, a database of its own, and the built command. */
const createOperatorEnvironment = async ({
  redis: wantsRedis = false,
  settings: more = {},
}: OperatorEnvironmentOptions = {}) => {
  const mongo = await startMongoServer();
  const redis = wantsRedis ? await startRedisServer() : undefined;
  const url = mongo.url(`gateway_cli_${randomUUID().slice(0, 8)}`);
  const connection = openMongo(url, { socketTimeoutMS: 60_000 });
  const database = mongodb.openOperator(url, { formNames });
  const settings: Settings = {
    ...more,
    MONGODB_URL: url,
    ...(redis && { REDIS_URL: redis.url() }),
  };
  /** Runs a command. The first argument may be several words: `keys list`. */
  const run = (words = '', ...args: string[]): Promise<CommandResult> =>
    runWarm(settings, [...words.split(' '), ...args]);
  /** Runs a command that must succeed. Resolves to its standard output. */
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    expect(code, `${args.join(' ')}\n${stderr}`).to.equal(0);
    return stdout;
  };
  return {
    settings,
    db: connection.db,
    database,
    redis,
    /** A collection, untyped as another program would see it. */
    collection: (name: string) =>
      connection.db.collection<{ _id: string; [member: string]: unknown }>(name),
    /** Removes all organizations and keys, and the log of their changes. */
    async clear(): Promise<void> {
      for (const name of ['organizations', 'api_keys', 'key_log'])
        await connection.db.collection(name).deleteMany({});
    },
    run,
    done,
    /** The same as `done`, with `--json`, parsed. Nothing checks the type of the output. */
    json: async <Printed = unknown>(...args: string[]): Promise<Printed> =>
      JSON.parse(await done(...args, '--json')),
    /** Issues a key of acme with the default scopes of its form. */
    async issue(form: string, ...options: string[]) {
      const args = ['--form', form, '--partner', 'Acme Radio', ...options];
      const text = (await done('keys issue --organization acme', ...args)).trim();
      return { id: keyIdIn(text) ?? 'no key', text };
    },
    async stop(): Promise<void> {
      await connection.close();
      await database.close();
      await redis?.stop();
      await mongo.stop();
    },
  };
};

export type OperatorEnvironment = Awaited<ReturnType<typeof createOperatorEnvironment>>;

/** An environment for the tests of a suite: started before them, stopped after them. */
export const useOperatorEnvironment = (options?: OperatorEnvironmentOptions): OperatorEnvironment =>
  useStarted(
    () => createOperatorEnvironment(options),
    ({ stop }) => stop(),
  );

/** Expects exit code 1, and a last line on standard error that matches. */
export const expectRefusal = ({ code, stdout, stderr }: CommandResult, message: RegExp): void => {
  expect(code, stderr).to.equal(1);
  // Progress may come before it.
  expect(stderr.trim().split('\n').at(-1)).to.match(message);
  expect(stdout).not.to.include('aik_');
};

/** Expects exit code 2, and one line on standard error that matches. */
export const expectUsageError = (
  { code, stdout, stderr }: CommandResult,
  message: RegExp,
): void => {
  expect(code, stderr).to.equal(2);
  expect(stderr.trim()).to.match(message);
  expect(stderr.trim().split('\n')).to.have.length(1);
  expect(stdout).to.equal('');
};
