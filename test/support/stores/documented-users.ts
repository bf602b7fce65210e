import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

/** What a role may do in a collection; in all of them when its name is empty. */
interface Privilege {
  readonly resource: { readonly db: string; readonly collection: string };
  readonly actions: readonly string[];
}

/** The commands of `deploy/mongodb/users.js` that make roles and users, as a server takes them. */
export interface DocumentedUsers {
  readonly roles: readonly {
    readonly createRole: string;
    readonly privileges: readonly Privilege[];
    readonly roles: readonly [];
  }[];
  readonly users: readonly {
    readonly createUser: string;
    readonly pwd: string;
    readonly roles: readonly string[];
  }[];
}

/**
 * Runs `deploy/mongodb/users.js` as the shell of MongoDB does. With `files` the passwords come from
 * there, else each is asked for.
 */
export const runUsersScript = (db: object, passwordPrompt: () => string, files?: string): void => {
  const code = readFileSync(new URL('../../../deploy/mongodb/users.js', import.meta.url), 'utf8');
  const shell = { db, require: () => ({ readFileSync }), print: () => {}, passwordPrompt };
  runInNewContext(code, { ...shell, process: { env: { PASSWORDS_DIR: files } } });
};

/** What it sends to a database that has none of them. */
export const readDocumentedUsers = (
  database: string,
  password: string,
  files?: string,
): DocumentedUsers => {
  const roles: object[] = [];
  const users: object[] = [];
  const db = {
    getName: () => database,
    getRole: () => null,
    getUser: () => null,
    createRole: ({ role, ...members }: { role: string }) =>
      roles.push({ createRole: role, ...members }),
    createUser: ({ user, ...members }: { user: string }) =>
      users.push({ createUser: user, ...members }),
  };
  runUsersScript(db, () => password, files);
  return JSON.parse(JSON.stringify({ roles, users }));
};
