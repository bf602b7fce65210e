import type { Db } from 'mongodb';
import type { Leases, StoredLease } from '../database.ts';
import { isDuplicate } from './errors.ts';

/** The collection `leases`, a document for each name. */
export const createMongoLeases = (db: Db): Leases => {
  const leases = db.collection<StoredLease>('leases');
  return {
    async take({ _id, ...members }, deadToken) {
      const dead = typeof deadToken === 'string' ? [{ token: deadToken }] : [];
      const isFree = { $or: [{ expires_at: { $lte: members.acquired_at } }, ...dead] };
      try {
        // The unique _id refuses the insertion while the stored lease lasts.
        await leases.updateOne({ _id, ...isFree }, { $set: members }, { upsert: true });
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    async renew(_id, token, expires_at) {
      return (await leases.updateOne({ _id, token }, { $set: { expires_at } })).matchedCount === 1;
    },
    async release(_id, token) {
      await leases.deleteOne({ _id, token });
    },
  };
};
