import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

/** What a role may do in a collection; in all of them when its name is empty. */
export interface Privilege {
  readonly resource: { readonly db: string; readonly collection: string };
  readonly actions: readonly string[];
}

/** The commands of the operator's guide that make roles and users, as a server takes them. */
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
 * Runs the guide's commands as the shell of MongoDB does, and returns what it would send to a
 * database.
 */
export const readDocumentedUsers = (database: string, password: string): DocumentedUsers => {
  const guide = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
  const code = /^\*\*Users\.\*\*[\s\S]+?^```js\n([\s\S]+?)^```$/m.exec(guide)?.[1];
  if (code === undefined) throw new Error('The guide makes no users.');
  const roles: object[] = [];
  const users: object[] = [];
  const db = {
    getName: () => database,
    createRole: ({ role, ...members }: { role: string }) =>
      roles.push({ createRole: role, ...members }),
    createUser: ({ user, ...members }: { user: string }) =>
      users.push({ createUser: user, ...members }),
  };
  runInNewContext(code, { db, passwordPrompt: () => password });
  return JSON.parse(JSON.stringify({ roles, users }));
};
