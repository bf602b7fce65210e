import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import { createMongoKeys } from '../stores/mongodb/keys.ts';
import type { Database } from './open-database.ts';
import { note } from './terminal/messages.ts';

/** All keys and organizations, as a gateway sees them. */
export interface KeyRegistry {
  readonly keys: readonly KeyRecord[];
  readonly organizations: readonly Organization[];
  /** The key with this id. Throws when there is none. */
  key(id: string): KeyRecord;
  /** The organization with this id. Throws when there is none. */
  organization(id: string): Organization;
}

/** A document that no gateway can use is told of, and otherwise not there. */
const tellRejections = {
  info() {},
  error() {},
  warn(facts: object) {
    note(`Not usable, so no gateway sees it: ${Object.values(facts).join(' ')}`);
  },
};

/** Loads what a gateway would load. */
export const loadKeyRegistry = async (db: Database): Promise<KeyRegistry> => {
  const { keys, organizations } = await createMongoKeys(db, tellRejections).load();
  return {
    keys,
    organizations,
    key(id) {
      const key = keys.find((one) => one.id === id);
      if (key === undefined)
        throw new Error(`There is no key ${id}: "artist-gateway keys list" shows those there are.`);
      return key;
    },
    organization(id) {
      const organization = organizations.find((one) => one.id === id);
      if (organization !== undefined) return organization;
      throw new Error(
        `There is no organization ${id}: create it with "artist-gateway organizations set ${id} --name …".`,
      );
    },
  };
};
