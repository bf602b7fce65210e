import type { Db } from 'mongodb';
import { type Leases, maxAheadMs, type StoredLease } from '../database.ts';
import { isDuplicate } from './errors.ts';

/** The collection `leases`, a document for each name. */
export const createMongoLeases = (db: Db): Leases => {
  const leases = db.collection<StoredLease>('leases');
  return {
    async take({ _id, ...members }) {
      const latest = new Date(members.expires_at.getTime() + maxAheadMs);
      const isHeld = { expires_at: { $gt: members.acquired_at, $lte: latest } };
      try {
        // The unique _id refuses the insertion while the stored lease lasts.
        const { matchedCount } = await leases.updateOne(
          { _id, $nor: [isHeld] },
          { $set: members },
          { upsert: true },
        );
        return matchedCount === 0 ? 'free' : 'expired';
      } catch (error) {
        if (isDuplicate(error)) return 'held';
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
