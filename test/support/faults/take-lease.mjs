import { mongodb } from '../../../dist/adapters/stores/mongodb/database.js';

// Tries to take each lease of a list at the instant that the list gives, and prints those that it got.

const [url = '', startAt = '0', ...names] = process.argv.slice(2);
const { leases, now, close } = mongodb.openOperator(url, { formNames: [] });
await now(); // connects
const got = [];
for (const [index, _id] of names.entries()) {
  const begin = Number(startAt) + index * 250;
  while (Date.now() < begin)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begin - Date.now() - 2)));
  const [acquired_at, expires_at] = [new Date(), new Date(Date.now() + 30_000)];
  const lease = { _id, token: `${process.pid}`, holder: 'racer', acquired_at, expires_at };
  if (await leases.take(lease)) got.push(_id);
}
await close();
process.stdout.write(JSON.stringify({ got }));
