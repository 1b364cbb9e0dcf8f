/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Type of a product's variable. */
export type VariableType =
  | 'BOOL'
  | 'TXT'
  | 'INT16'
  | 'INT64'
  | 'FLOAT32'
  | 'UINT8'
  | 'UINT16'
  | 'UINT32';

/** What a member is in an organization. */
export type Role =
  | 'owner'
  | 'member';

/** What a token may do: everything its owner may, change nothing, or post records only. */
export type TokenScope =
  | 'full'
  | 'read'
  | 'ingest';

export type CreateTokenMutationVariables = Exact<{
  organizationId: string;
  name?: string | null | undefined;
  scope: TokenScope;
}>;


export type CreateTokenMutation = { createApiToken: { token: string } | null };

export type DeviceChartQueryVariables = Exact<{
  organizationId: string;
  deviceIds?: Array<string> | string | null | undefined;
  variables: Array<string> | string;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type DeviceChartQuery = { series: Array<{ name: string, unit: string | null, ts: Array<number>, values: Array<number> }> | null };

export type DeviceQueryVariables = Exact<{
  organizationId: string;
  deviceId: string;
}>;


export type DeviceQuery = { device: { id: string, serial: string, name: string | null, tags: Array<string>, createdAt: string, location: { lat: number, lon: number } | null, product: { id: string, name: string, version: string, variables: Array<{ name: string, type: VariableType, unit: string | null }> } | null, applications: { items: Array<{ id: string, name: string }> }, latest: Array<{ name: string, value: unknown, unit: string | null, ts: number }>, records: { items: Array<{ id: string, ts: number, data: Record<string, unknown>, metadata: Record<string, unknown>, frame: Record<string, unknown> | null }> } } | null };

export type DevicesQueryVariables = Exact<{
  organizationId: string;
  limit: number;
  page: number;
  sort?: string | null | undefined;
  q?: string | null | undefined;
  productId?: string | null | undefined;
}>;


export type DevicesQuery = { devices: { totalCount: number | null, items: Array<{ id: string, serial: string, name: string | null, tags: Array<string>, applicationCount: number, product: { id: string, name: string } | null, latest: Array<{ name: string, value: unknown, unit: string | null, ts: number }> }> } | null, products: { items: Array<{ id: string, name: string }> } | null };

export type LiveRecordsSubscriptionVariables = Exact<{
  organizationId: string;
  applicationId: string;
  query?: Record<string, unknown> | null | undefined;
}>;


export type LiveRecordsSubscription = { recordReceived: { missed: number, records: Array<{ id: string, ts: number, data: Record<string, unknown>, device: { id: string, name: string | null, serial: string } | null }> } };

export type LiveApplicationsQueryVariables = Exact<{
  organizationId: string;
}>;


export type LiveApplicationsQuery = { applications: { items: Array<{ id: string, name: string }> } | null };

export type SessionQueryVariables = Exact<{ [key: string]: never; }>;


export type SessionQuery = { account: { id: string, name: string | null, username: string, avatarURL: string } | null, viewer: { scope: TokenScope, role: Role, userId: string | null } | null };

export type TokensQueryVariables = Exact<{
  organizationId: string;
  page: number;
  limit: number;
  sort?: string | null | undefined;
}>;


export type TokensQuery = { apiTokens: { totalCount: number | null, items: Array<{ id: string, name: string | null, prefix: string, scope: TokenScope, createdAt: string, lastUsedAt: string | null, expiresAt: string | null, revokedAt: string | null, user: { username: string } | null }> } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const CreateTokenDocument = new TypedDocumentString(`
    mutation CreateToken($organizationId: ID!, $name: String, $scope: TokenScope!) {
  createApiToken(organizationId: $organizationId, name: $name, scope: $scope) {
    token
  }
}
    `) as unknown as TypedDocumentString<CreateTokenMutation, CreateTokenMutationVariables>;
export const DeviceChartDocument = new TypedDocumentString(`
    query DeviceChart($organizationId: ID!, $deviceIds: [ID!], $variables: [String!]!, $from: UnixTime, $to: UnixTime) {
  series(
    organizationId: $organizationId
    deviceIds: $deviceIds
    variables: $variables
    from: $from
    to: $to
    points: 400
  ) {
    name
    unit
    ts
    values
  }
}
    `) as unknown as TypedDocumentString<DeviceChartQuery, DeviceChartQueryVariables>;
export const DeviceDocument = new TypedDocumentString(`
    query Device($organizationId: ID!, $deviceId: ID!) {
  device(organizationId: $organizationId, deviceId: $deviceId) {
    id
    serial
    name
    tags
    createdAt
    location {
      lat
      lon
    }
    product {
      id
      name
      version
      variables {
        name
        type
        unit
      }
    }
    applications(limit: 100, sort: "name") {
      items {
        id
        name
      }
    }
    latest {
      name
      value
      unit
      ts
    }
    records(limit: 20) {
      items {
        id
        ts
        data
        metadata
        frame
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DeviceQuery, DeviceQueryVariables>;
export const DevicesDocument = new TypedDocumentString(`
    query Devices($organizationId: ID!, $limit: Int!, $page: Int!, $sort: String, $q: String, $productId: ID) {
  devices(
    organizationId: $organizationId
    limit: $limit
    page: $page
    sort: $sort
    q: $q
    productId: $productId
  ) {
    totalCount
    items {
      id
      serial
      name
      tags
      applicationCount
      product {
        id
        name
      }
      latest {
        name
        value
        unit
        ts
      }
    }
  }
  products(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<DevicesQuery, DevicesQueryVariables>;
export const LiveRecordsDocument = new TypedDocumentString(`
    subscription LiveRecords($organizationId: ID!, $applicationId: ID!, $query: JSONObject) {
  recordReceived(
    organizationId: $organizationId
    applicationId: $applicationId
    query: $query
    limit: 100
  ) {
    missed
    records {
      id
      ts
      data
      device {
        id
        name
        serial
      }
    }
  }
}
    `) as unknown as TypedDocumentString<LiveRecordsSubscription, LiveRecordsSubscriptionVariables>;
export const LiveApplicationsDocument = new TypedDocumentString(`
    query LiveApplications($organizationId: ID!) {
  applications(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<LiveApplicationsQuery, LiveApplicationsQueryVariables>;
export const SessionDocument = new TypedDocumentString(`
    query Session {
  account {
    id
    name
    username
    avatarURL
  }
  viewer {
    scope
    role
    userId
  }
}
    `) as unknown as TypedDocumentString<SessionQuery, SessionQueryVariables>;
export const TokensDocument = new TypedDocumentString(`
    query Tokens($organizationId: ID!, $page: Int!, $limit: Int!, $sort: String) {
  apiTokens(
    organizationId: $organizationId
    page: $page
    limit: $limit
    sort: $sort
  ) {
    totalCount
    items {
      id
      name
      prefix
      scope
      createdAt
      lastUsedAt
      expiresAt
      revokedAt
      user {
        username
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TokensQuery, TokensQueryVariables>;