import { generateKey, type NewKey } from '../../src/keys/generate-key.ts';
import { type Added, documentOf, type Form } from '../catalogue/keys.ts';
import type { Database } from '../mongodb/database.ts';

/** A key, its organization, and when it was issued and revoked (`performance.now()`). */
export interface SoakKey extends NewKey {
  readonly form: Form;
  readonly organization: string;
  /** `undefined` for a key that the gateway started with. */
  readonly issuedAt: number | undefined;
  revokedAt?: number;
}

/** The time in which a part of the variant keys asks what all of them may ask in an hour. */
const partMs = 360_000;
/** Of an hour, and of the variant keys. */
const parts = 3_600_000 / partMs;

/** A random index below `count`. */
const any = (count: number): number => Math.floor(Math.random() * count);

/**
 * The keys that ask: one of each form for every organization, of which some are revoked and
 * replaced.
 */
export const createPartners = (
  added: Added,
  stored: readonly { readonly _id: string }[],
  database: Database,
) => {
  const keysOf = (form: Form): SoakKey[] =>
    added.map(({ name, [form]: key }) => ({
      ...key,
      form,
      organization: name,
      issuedAt: undefined,
    }));
  const keys = { current: keysOf('current'), variant: keysOf('variant') };
  const documents = new Map<string, object>(stored.map((document) => [document._id, document]));
  const revoked: SoakKey[] = [];

  const replaceOne = (form: Form): readonly SoakKey[] => {
    const index = any(keys[form].length);
    const old = keys[form][index];
    if (old === undefined) return [];
    const { organization } = old;
    const issuedAt = performance.now();
    const next: SoakKey = { ...generateKey(), form, organization, issuedAt };
    const document = documentOf(old, organization, form, 'usual');
    documents.set(old.id, { ...document, revoked_at: new Date().toISOString() });
    documents.set(next.id, documentOf(next, organization, form, 'usual'));
    old.revokedAt = issuedAt;
    keys[form][index] = next;
    revoked.push(old);
    return [old, next];
  };

  return {
    /**
     * Any key of a form, `elapsedMs` after the start. A tenth of the variant keys asks at a time:
     * for six minutes, what it may ask in an hour.
     */
    pick(form: Form, elapsedMs: number): SoakKey | undefined {
      const { [form]: all } = keys;
      if (form === 'current') return all[any(all.length)];
      const part = Math.floor(elapsedMs / partMs) % parts;
      return all[Math.floor(((part + Math.random()) * all.length) / parts)];
    },
    /** One that was revoked. */
    pickRevoked: (): SoakKey | undefined => revoked[any(revoked.length)],
    /** Revokes `count` keys of each form and issues others. Returns all of them. */
    replace(count: number): readonly SoakKey[] {
      const changed = Array.from({ length: count }, () => [
        ...replaceOne('current'),
        ...replaceOne('variant'),
      ]).flat();
      database.replaceKeys([...documents.values()]);
      return changed;
    },
  };
};

export type Partners = ReturnType<typeof createPartners>;
