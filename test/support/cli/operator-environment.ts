import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type MongoConnection, openMongo } from '../../../adapters/stores/mongodb/connection.ts';
import { type MongoServer, startMongoServer } from '../mongo-server.ts';
import { type RedisServer, startRedisServer } from '../redis-server.ts';
import { type Ran, run, type Settings } from './run.ts';

/** An operator's machine: real servers, a database that nobody else uses, and the built command. */
export interface OperatorEnvironment {
  readonly settings: Settings;
  readonly db: MongoConnection['db'];
  readonly redis: RedisServer | undefined;
  run(...args: string[]): Promise<Ran>;
  /** Runs a command that has to succeed, and hands back what it printed. */
  done(...args: string[]): Promise<string>;
  /** The same, with `--json`, parsed. */
  json(...args: string[]): Promise<unknown>;
  stop(): Promise<void>;
}

export interface WorldOptions {
  readonly redis?: boolean;
  /** What every command is told beside where the stores are. */
  readonly settings?: Settings;
}

export const createOperatorEnvironment = async ({
  redis: wantsRedis = false,
  settings: more = {},
}: WorldOptions = {}): Promise<OperatorEnvironment> => {
  const mongo: MongoServer = await startMongoServer();
  const redis = wantsRedis ? await startRedisServer() : undefined;
  const url = mongo.url(`gateway_cli_${randomUUID().slice(0, 8)}`);
  const connection = openMongo(url, { socketTimeoutMS: 60_000 });
  const settings: Settings = { ...more, MONGODB_URL: url, ...(redis && { REDIS_URL: redis.url() }) };
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(settings, args);
    expect(code, `${args.join(' ')}\n${stderr}`).to.equal(0);
    return stdout;
  };
  return {
    settings,
    db: connection.db,
    redis,
    run: (...args) => run(settings, args),
    done,
    json: async (...args) => JSON.parse(await done(...args, '--json')),
    async stop() {
      await connection.close();
      await redis?.stop();
      await mongo.stop();
    },
  };
};

/** Expects that a command was refused or found something, with one clear line that says so. */
export const expectRefusal = ({ code, stdout, stderr }: Ran, message: RegExp): void => {
  expect(code, stderr).to.equal(1);
  // Before it, there may have been progress.
  expect(stderr.trim().split('\n').at(-1)).to.match(message);
  expect(stdout).not.to.include('aik_');
};

/** Expects that a command was called wrongly, and says how. */
export const expectMisuse = ({ code, stdout, stderr }: Ran, message: RegExp): void => {
  expect(code, stderr).to.equal(2);
  expect(stderr.trim()).to.match(message);
  expect(stderr.trim().split('\n')).to.have.length(1);
  expect(stdout).to.equal('');
};
