/** Kinds of account (contract, section 5). */
export enum AccountType {
  organization = 'organization',
  user = 'user',
}

/** What a member is in an organization. */
export enum Role {
  owner = 'owner',
  member = 'member',
}

/** What a team, and through it a member, may do with an application. `read` sorts before `write`: the higher is the maximum. */
export enum Permission {
  read = 'read',
  write = 'write',
}

/** What a token may do: everything its owner may, change nothing, or post records only. */
export enum TokenScope {
  full = 'full',
  read = 'read',
  ingest = 'ingest',
}

/** Type of a product's variable. */
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

/** Layout of a data stream: tagged binary, positional binary, or text fields. */
export enum StreamType {
  BIN = 'BIN',
  RAW = 'RAW',
  TXT = 'TXT',
}
