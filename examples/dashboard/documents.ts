/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Permission on an application. */
export type Permission =
  | 'read'
  | 'write';

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

/** Reason why an item was rejected. */
export type ItemErrorCode =
  | 'UNKNOWN_DEVICE'
  | 'VALIDATION_FAILED'
  | 'TS_OUT_OF_RANGE'
  | 'BAD_PAYLOAD'
  | 'MALFORMED_REQUEST';

/** Reason why a call got no answer. */
export type DeliveryErrorCode =
  | 'BLOCKED'
  | 'DNS'
  | 'REFUSED'
  | 'TLS'
  | 'TIMEOUT'
  | 'RESET'
  | 'PROTOCOL';

/** Role of a member in an organization. */
export type Role =
  | 'owner'
  | 'member';

/** Reason why a hook is disabled. */
export type HookDisabledReason =
  /** A caller who may change the hook disabled it. */
  | 'request'
  /** The address of the hook answered 410. */
  | 'gone'
  /** The calls of the hook failed for five days. */
  | 'failing';

/** State of a hook's circuit breaker. */
export type CircuitState =
  | 'closed'
  | 'open'
  | 'probing';

export type FurnishMutationVariables = Exact<{
  organizationId: string;
}>;


export type FurnishMutation = { createProduct: { id: string } | null, createApplication: { id: string } | null };

export type RegisterMutationVariables = Exact<{
  organizationId: string;
  productId: string;
}>;


export type RegisterMutation = { registerDevice: { id: string } | null };

export type LinkMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  deviceId: string;
}>;


export type LinkMutation = { addApplicationDevice: { name: string } | null };

export type MeasureMutationVariables = Exact<{
  organizationId: string;
}>;


export type MeasureMutation = { ingestRecords: { accepted: number, results: Array<{ index: number, error: { code: ItemErrorCode, message: string } | null }> } | null };

export type RoofMutationVariables = Exact<{
  organizationId: string;
}>;


export type RoofMutation = { tagDevices: { matched: number, changed: number, blocked: number, job: { id: string } | null } | null };

export type StartQueryVariables = Exact<{ [key: string]: never; }>;


export type StartQuery = { account: { id: string, name: string | null, username: string, devices: { totalCount: number | null }, applications: { totalCount: number | null }, members: { totalCount: number | null } } | null };

export type FleetQueryVariables = Exact<{
  organizationId: string;
  page?: number | null | undefined;
}>;


export type FleetQuery = { devices: { totalCount: number | null, items: Array<{ id: string, serial: string, name: string | null, location: { lat: number, lon: number } | null, product: { name: string } | null, latest: Array<{ name: string, value: unknown, ts: number }> }> } | null };

export type GaugesQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
}>;


export type GaugesQuery = { latest: Array<{ device: { name: string | null, location: { lat: number, lon: number } | null } | null, values: Array<{ name: string, ts: number, unit: string | null, typed:
        | { number: number }
        | { boolean: boolean }
        | { text: string }
        | Record<PropertyKey, never>
       }> }> | null };

export type ScreenQueryVariables = Exact<{
  organizationId: string;
}>;


export type ScreenQuery = { applications: { items: Array<{ name: string, permission: Permission, devices: { totalCount: number | null, items: Array<{ name: string | null, serial: string, latest: Array<{ name: string, value: unknown, ts: number }> }> }, teams: { items: Array<{ name: string, members: { totalCount: number | null, items: Array<{ username: string, avatarURL: string }> } }> } }> } | null };

export type HooksQueryVariables = Exact<{
  organizationId: string;
}>;


export type HooksQuery = { applications: { items: Array<{ name: string, hooks: { items: Array<{ url: string, disabled: boolean, disabledReason: HookDisabledReason | null, stats: { successRate: number | null, p95: number | null, pending: number, lastFailureAt: string | null }, settings: { circuit: CircuitState } }> } | null }> } | null };

export type DeliveriesQueryVariables = Exact<{
  organizationId: string;
}>;


export type DeliveriesQuery = { applications: { items: Array<{ name: string, deliveries: { items: Array<{ successful: boolean, attemptsMade: number, createdAt: string, hook: { url: string } | null, device: { serial: string, name: string | null } | null, error: { code: DeliveryErrorCode, message: string } | null }> } | null }> } | null };

export type AccessQueryVariables = Exact<{
  organizationId: string;
}>;


export type AccessQuery = { organization: { members: { items: Array<{ username: string, role: Role | null, teams: { items: Array<{ name: string, grants: { items: Array<{ permission: Permission, application: { name: string } }> } }> } }> } } | null };

export type ProductsQueryVariables = Exact<{
  organizationId: string;
}>;


export type ProductsQuery = { products: { items: Array<{ name: string, version: string, deviceCount: number, variables: Array<{ name: string, unit: string | null, type: VariableType }>, devices: { items: Array<{ serial: string, createdAt: string }> } }> } | null };

export type LogQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
  after?: string | null | undefined;
}>;


export type LogQuery = { application: { records: { endCursor: string | null, hasMore: boolean, items: Array<{ ts: number, metadata: Record<string, unknown>, device: { serial: string, name: string | null } | null, values: Array<{ name: string, unit: string | null, value: unknown }> }> } } | null };

export type ChartQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type ChartQuery = { series: Array<{ name: string, unit: string | null, interval: number | null, ts: Array<number>, values: Array<number>, device: { name: string | null, serial: string } | null }> | null };

export type FleetByCursorQueryVariables = Exact<{
  organizationId: string;
  after?: string | null | undefined;
}>;


export type FleetByCursorQuery = { organization: { devicesConnection: { edges: Array<{ cursor: string, node: { id: string, name: string | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

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

export const FurnishDocument = new TypedDocumentString(`
    mutation Furnish($organizationId: ID!) {
  createProduct(
    organizationId: $organizationId
    name: "Thermometer"
    version: "1"
    variables: [{name: "temperature", type: FLOAT32, unit: "°C"}]
  ) {
    id
  }
  createApplication(organizationId: $organizationId, name: "Cold store") {
    id
  }
}
    `) as unknown as TypedDocumentString<FurnishMutation, FurnishMutationVariables>;
export const RegisterDocument = new TypedDocumentString(`
    mutation Register($organizationId: ID!, $productId: ID!) {
  registerDevice(
    organizationId: $organizationId
    deviceSerial: "c0-01"
    name: "Freezer"
    product: {id: $productId}
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<RegisterMutation, RegisterMutationVariables>;
export const LinkDocument = new TypedDocumentString(`
    mutation Link($organizationId: ID!, $applicationId: ID!, $deviceId: ID!) {
  addApplicationDevice(
    organizationId: $organizationId
    applicationId: $applicationId
    deviceId: $deviceId
  ) {
    name
  }
}
    `) as unknown as TypedDocumentString<LinkMutation, LinkMutationVariables>;
export const MeasureDocument = new TypedDocumentString(`
    mutation Measure($organizationId: ID!) {
  ingestRecords(
    organizationId: $organizationId
    records: [{serial: "c0-01", data: {temperature: -18.5}}]
  ) {
    accepted
    results {
      index
      error {
        code
        message
      }
    }
  }
}
    `) as unknown as TypedDocumentString<MeasureMutation, MeasureMutationVariables>;
export const RoofDocument = new TypedDocumentString(`
    mutation Roof($organizationId: ID!) {
  tagDevices(
    organizationId: $organizationId
    filter: {tag: "cold"}
    tags: ["roof"]
    dryRun: true
  ) {
    matched
    changed
    blocked
    job {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<RoofMutation, RoofMutationVariables>;
export const StartDocument = new TypedDocumentString(`
    query Start {
  account {
    id
    name
    username
    devices(limit: 1) {
      totalCount
    }
    applications(limit: 1) {
      totalCount
    }
    members(limit: 1) {
      totalCount
    }
  }
}
    `) as unknown as TypedDocumentString<StartQuery, StartQueryVariables>;
export const FleetDocument = new TypedDocumentString(`
    query Fleet($organizationId: ID!, $page: Int = 1) {
  devices(organizationId: $organizationId, limit: 20, page: $page, sort: "name") {
    totalCount
    items {
      id
      serial
      name
      location {
        lat
        lon
      }
      product {
        name
      }
      latest {
        name
        value
        ts
      }
    }
  }
}
    `) as unknown as TypedDocumentString<FleetQuery, FleetQueryVariables>;
export const GaugesDocument = new TypedDocumentString(`
    query Gauges($organizationId: ID!, $applicationId: ID!) {
  latest(organizationId: $organizationId, applicationId: $applicationId) {
    device {
      name
      location {
        lat
        lon
      }
    }
    values {
      name
      ts
      unit
      typed {
        ... on NumberValue {
          number
        }
        ... on BooleanValue {
          boolean
        }
        ... on TextValue {
          text
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<GaugesQuery, GaugesQueryVariables>;
export const ScreenDocument = new TypedDocumentString(`
    query Screen($organizationId: ID!) {
  applications(organizationId: $organizationId, limit: 1) {
    items {
      name
      permission
      devices(limit: 25) {
        totalCount
        items {
          name
          serial
          latest {
            name
            value
            ts
          }
        }
      }
      teams {
        items {
          name
          members(limit: 5) {
            totalCount
            items {
              username
              avatarURL
            }
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ScreenQuery, ScreenQueryVariables>;
export const HooksDocument = new TypedDocumentString(`
    query Hooks($organizationId: ID!) {
  applications(organizationId: $organizationId) {
    items {
      name
      hooks {
        items {
          url
          disabled
          disabledReason
          stats {
            successRate
            p95
            pending
            lastFailureAt
          }
          settings {
            circuit
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<HooksQuery, HooksQueryVariables>;
export const DeliveriesDocument = new TypedDocumentString(`
    query Deliveries($organizationId: ID!) {
  applications(organizationId: $organizationId, limit: 5) {
    items {
      name
      deliveries(limit: 20) {
        items {
          successful
          attemptsMade
          createdAt
          hook {
            url
          }
          device {
            serial
            name
          }
          error {
            code
            message
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DeliveriesQuery, DeliveriesQueryVariables>;
export const AccessDocument = new TypedDocumentString(`
    query Access($organizationId: ID!) {
  organization(organizationId: $organizationId) {
    members(limit: 50, sort: "username") {
      items {
        username
        role
        teams(limit: 5) {
          items {
            name
            grants(limit: 5) {
              items {
                permission
                application {
                  name
                }
              }
            }
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AccessQuery, AccessQueryVariables>;
export const ProductsDocument = new TypedDocumentString(`
    query Products($organizationId: ID!) {
  products(organizationId: $organizationId) {
    items {
      name
      version
      deviceCount
      variables {
        name
        unit
        type
      }
      devices(limit: 3, sort: "-createdAt") {
        items {
          serial
          createdAt
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ProductsQuery, ProductsQueryVariables>;
export const LogDocument = new TypedDocumentString(`
    query Log($organizationId: ID!, $applicationId: ID!, $after: String) {
  application(organizationId: $organizationId, applicationId: $applicationId) {
    records(limit: 50, after: $after) {
      items {
        ts
        device {
          serial
          name
        }
        values {
          name
          unit
          value
        }
        metadata
      }
      endCursor
      hasMore
    }
  }
}
    `) as unknown as TypedDocumentString<LogQuery, LogQueryVariables>;
export const ChartDocument = new TypedDocumentString(`
    query Chart($organizationId: ID!, $applicationId: ID!, $from: UnixTime, $to: UnixTime) {
  series(
    organizationId: $organizationId
    applicationId: $applicationId
    variables: ["temperature"]
    from: $from
    to: $to
    points: 200
    function: avg
  ) {
    device {
      name
      serial
    }
    name
    unit
    interval
    ts
    values
  }
}
    `) as unknown as TypedDocumentString<ChartQuery, ChartQueryVariables>;
export const FleetByCursorDocument = new TypedDocumentString(`
    query FleetByCursor($organizationId: ID!, $after: String) {
  organization(organizationId: $organizationId) {
    devicesConnection(first: 1, after: $after, sort: "-name") {
      edges {
        cursor
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}
    `) as unknown as TypedDocumentString<FleetByCursorQuery, FleetByCursorQueryVariables>;