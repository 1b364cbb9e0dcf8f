/** An organization account. */
export interface Account {
  id: string;
  name?: string;
  username: string;
  email: string;
  avatarURL: string;
  type: 'organization';
  createdAt: string;
  updatedAt: string;
  disabled: boolean;
}

export type Role = 'owner' | 'member';

export interface Organization extends Account {
  memberCount: number;
  role: Role;
}

export interface User {
  id: string;
  username: string;
  name?: string;
  type: 'user';
  avatarURL: string;
}

export interface Member extends User {
  role: Role;
}

export type TeamMember = Omit<User, 'name'>;

/** Times of what is made and changed, in ISO 8601. Items of lists have none. */
export interface Times {
  createdAt: string;
  updatedAt: string;
}

export interface TeamItem {
  id: string;
  organizationId: string;
  name: string;
  slug: string;
  description?: string;
}

export interface ApplicationItem extends TeamItem {
  permission: Permission;
}

export type Permission = 'read' | 'write';

export interface Application extends ApplicationItem, Times {
  hasDashboard: boolean;
}

export interface PublicProductItem {
  id: string;
  organizationId: string;
  name: string;
  slug: string;
  version: string;
  public: boolean;
}

export interface ProductItem extends PublicProductItem {
  deviceCount: number;
}

export interface Variable {
  name: string;
  unit?: string;
  type: 'BOOL' | 'TXT' | 'INT16' | 'INT64' | 'FLOAT32' | 'UINT8' | 'UINT16' | 'UINT32';
  mappings?: { streamId: number; streamType: 'BIN' | 'RAW' | 'TXT'; varNumber: number }[];
}

export interface Product extends ProductItem, Times {
  variables: Variable[];
}

export interface DeviceItem {
  id: string;
  organizationId: string;
  serial: string;
  name?: string;
  slug: string;
  tags: string[];
  product?: { id: string; organizationId: string };
  applicationCount: number;
}

export interface Device extends DeviceItem, Times {
  location?: { lat: number; lon: number };
}

export type DeviceInput = Partial<Pick<Device, 'name' | 'tags' | 'product' | 'location'>>;

export interface HookItem {
  id: string;
  url: string;
}

export interface Reference {
  id: string;
  organizationId: string;
}

export interface Hook extends HookItem, Times {
  application: Reference;
  authentication?: { basic?: { user: string }; header?: { name: string; value: string } };
  allowUnverifiedSSLCert: boolean;
  disabled: boolean;
}

export interface HookInput {
  url: string;
  allowUnverifiedSSLCert?: boolean;
  disabled?: boolean;
  authentication?: { basic?: { user: string; pass?: string }; header?: { name?: string; value: string } };
}

/** A call of a hook; `deviceId` and `ts` are absent of a test call. */
export interface Delivery extends Times {
  id: string;
  applicationHookId: string;
  deviceId?: string;
  application: Reference;
  ts?: number;
  maxNumberAttempts: number;
  attemptsMade: number;
  successful: boolean;
  request?: { payload: unknown; headers: Record<string, string>; method: string; uri: Record<string, unknown> };
  response?: { statusCode: number; headers: Record<string, string>; body: unknown };
}

export interface Page {
  limit?: number;
  page?: number;
  sort?: string;
}

/** A page of what matches a regular expression. */
export interface SearchablePage extends Page {
  q?: string;
}

export interface SearchInput {
  /** Unix seconds, both included. */
  ts: { gte: number; lte: number };
  queries: {
    products: string[];
    includes?: string[];
    search_after?: (string | number)[];
    size?: number;
    sort?: (string | object)[];
    aggs?: object;
    query?: object;
  }[];
}

export interface SearchAnswer {
  responses: {
    status: number;
    hits?: { total: { value: number }; hits: { _id: string; _source: object; sort?: (string | number)[] }[] };
    aggregations?: Record<string, unknown>;
    error?: { type: string; reason: string };
  }[];
}
