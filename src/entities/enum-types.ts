// The graph's enum types. They have a file of their own because commands use the enums, and start faster without
// TypeGraphQL.
import { registerEnumType } from 'type-graphql';
import { AccountType, Permission, Role, StreamType, TokenScope, VariableType } from './enums.js';

registerEnumType(AccountType, { name: 'AccountType', description: 'Kind of account.' });
registerEnumType(Role, { name: 'Role', description: 'What a member is in an organization.' });
registerEnumType(Permission, { name: 'Permission', description: 'What a caller may do with an application.' });
registerEnumType(TokenScope, {
  name: 'TokenScope',
  description: 'What a token may do: everything its owner may, change nothing, or post records only.',
});
registerEnumType(VariableType, { name: 'VariableType', description: "Type of a product's variable." });
registerEnumType(StreamType, {
  name: 'StreamType',
  description: 'Layout of a data stream: tagged binary, positional binary, or text fields.',
});
