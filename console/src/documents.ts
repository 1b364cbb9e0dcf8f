/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };

import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type DevicesQueryVariables = Exact<{
  organizationId: string;
  limit: number;
  page: number;
  sort?: string | null | undefined;
  q?: string | null | undefined;
  productId?: string | null | undefined;
}>;

export type DevicesQuery = {
  devices: {
    totalCount: number | null;
    items: Array<{
      id: string;
      serial: string;
      name: string | null;
      tags: Array<string>;
      applicationCount: number;
      product: { id: string; name: string } | null;
      latest: Array<{ name: string; value: unknown; unit: string | null; ts: number }>;
    }>;
  };
  products: { items: Array<{ id: string; name: string }> };
};

export type SessionQueryVariables = Exact<{ [key: string]: never }>;

export type SessionQuery = {
  account: {
    id: string;
    name: string | null;
    username: string;
    avatarURL: string;
    members: { totalCount: number | null };
  };
};

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
export const SessionDocument = new TypedDocumentString(`
    query Session {
  account {
    id
    name
    username
    avatarURL
    members(limit: 1) {
      totalCount
    }
  }
}
    `) as unknown as TypedDocumentString<SessionQuery, SessionQueryVariables>;
