/** Kinds of accounts (contract, section 5). */
export enum AccountType {
  organization = 'organization',
  user = 'user',
}

/** Roles of members in an organization. */
export enum Role {
  owner = 'owner',
  member = 'member',
}

/**
 * Permission of a team, and through it of its members, on an application. `read` sorts before `write`, so the higher
 * permission is the maximum.
 */
export enum Permission {
  read = 'read',
  write = 'write',
}

/** Scope of a token: everything that its owner may do, reading only, or posting records only. */
export enum TokenScope {
  full = 'full',
  read = 'read',
  ingest = 'ingest',
}

/** Types of a product's variables. */
export enum VariableType {
  BOOL = 'BOOL',
  TXT = 'TXT',
  INT16 = 'INT16',
  INT64 = 'INT64',
  FLOAT32 = 'FLOAT32',
  UINT8 = 'UINT8',
  UINT16 = 'UINT16',
  UINT32 = 'UINT32',
}

/** Layouts of data streams: tagged binary, positional binary, or text fields. */
export enum StreamType {
  BIN = 'BIN',
  RAW = 'RAW',
  TXT = 'TXT',
}
