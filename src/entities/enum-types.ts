// The graph's enum types. They have a file of their own because commands use the enums, and start faster without
// TypeGraphQL.
import { registerEnumType } from 'type-graphql';
import { AccountType, Permission, Role, StreamType, TokenScope, VariableType } from './enums.js';

registerEnumType(AccountType, { name: 'AccountType', description: 'Kind of account.' });
registerEnumType(Role, { name: 'Role', description: 'Role of a member in an organization.' });
registerEnumType(Permission, { name: 'Permission', description: 'Permission on an application.' });
registerEnumType(TokenScope, {
  name: 'TokenScope',
  description: 'Scope of a token: everything that its owner may do, reading only, or posting records only.',
});
registerEnumType(VariableType, { name: 'VariableType', description: "Type of a product's variable." });
registerEnumType(StreamType, {
  name: 'StreamType',
  description: 'Layout of a data stream: tagged binary, positional binary, or text fields.',
});
