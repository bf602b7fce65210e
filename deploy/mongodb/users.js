// Roles and users of MongoDB with the least rights: gateways read everything and write usage, commands write what they change. In the
// database that MONGODB_URL names, as a user who may create users:
//   mongosh "mongodb://ADMIN@HOST/gateway?authSource=admin" deploy/mongodb/users.js
// It prompts for two passwords, or reads them from the files artist-gateway and artist-operator of PASSWORDS_DIR. If you run it again, it
// updates existing roles and users, and the passwords that are not empty.
const passwords = process.env.PASSWORDS_DIR;
const passwordOf = (user) => {
  if (passwords !== undefined)
    return require('fs').readFileSync(`${passwords}/${user}`, 'utf8').trim();
  print(db.getUser(user) === null ? `Password of ${user}:` : `New password of ${user}, or none:`);
  return passwordPrompt();
};
// before anything is changed
const gatewayPassword = passwordOf('artist-gateway');
const operatorPassword = passwordOf('artist-operator');

const setRole = (role, privileges) => {
  const rights = { privileges, roles: [] };
  return db.getRole(role) === null
    ? db.createRole({ role, ...rights })
    : db.updateRole(role, rights);
};
const setUser = (user, pwd, role) => {
  if (db.getUser(user) === null) return db.createUser({ user, pwd, roles: [role] });
  if (pwd !== '') db.updateUser(user, { pwd });
  return db.grantRolesToUser(user, [role]);
};

const on = (collections, ...actions) =>
  collections.map((collection) => ({ resource: { db: db.getName(), collection }, actions }));
const everywhere = ['']; // every collection of the database
setRole('artistGateway', [
  ...on(everywhere, 'find', 'listIndexes'),
  ...on(['usage', 'usage_minutes'], 'insert', 'update'),
]);
setRole('artistOperator', [
  ...on(everywhere, 'find', 'listIndexes', 'createIndex'),
  ...on(['artists', 'history', 'labels', 'leases'], 'insert', 'update', 'remove'),
  ...on(['api_keys', 'organizations', 'catalogue_confirmations', 'import_log'], 'insert', 'update'),
  ...on(['key_log'], 'insert'),
  ...on(['usage', 'usage_minutes'], 'update'), // `doctor` tries it, and changes nothing
]);
setUser('artist-gateway', gatewayPassword, 'artistGateway');
setUser('artist-operator', operatorPassword, 'artistOperator');
