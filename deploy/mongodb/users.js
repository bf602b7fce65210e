// Roles and users of MongoDB with the least rights: gateways read everything and write usage, commands write what they change. In the
// database that MONGODB_URL names, as a user who may create users:
//   mongosh "mongodb://ADMIN@HOST/gateway?authSource=admin" deploy/mongodb/users.js
// It asks for two passwords, or reads them from the files artist-gateway and artist-operator of PASSWORDS_DIR.
const passwords = process.env.PASSWORDS_DIR;
const passwordOf = (user) => {
  if (passwords !== undefined)
    return require('fs').readFileSync(`${passwords}/${user}`, 'utf8').trim();
  print(`Password of ${user}:`);
  return passwordPrompt();
};

const on = (collections, ...actions) =>
  collections.map((collection) => ({ resource: { db: db.getName(), collection }, actions }));
const everywhere = ['']; // every collection of the database
db.createRole({
  role: 'artistGateway',
  privileges: [
    ...on(everywhere, 'find', 'listIndexes'),
    ...on(['usage', 'usage_minutes'], 'insert', 'update'),
  ],
  roles: [],
});
db.createRole({
  role: 'artistOperator',
  privileges: [
    ...on(everywhere, 'find', 'listIndexes', 'createIndex'),
    ...on(['artists', 'history', 'labels', 'leases'], 'insert', 'update', 'remove'),
    ...on(['api_keys', 'organizations', 'catalogue_confirmations'], 'insert', 'update'),
    ...on(['key_log'], 'insert'),
    ...on(['usage', 'usage_minutes'], 'update'), // `doctor` tries it, and changes nothing
  ],
  roles: [],
});
db.createUser({
  user: 'artist-gateway',
  pwd: passwordOf('artist-gateway'),
  roles: ['artistGateway'],
});
db.createUser({
  user: 'artist-operator',
  pwd: passwordOf('artist-operator'),
  roles: ['artistOperator'],
});
