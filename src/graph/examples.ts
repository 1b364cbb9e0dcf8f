/** A sample document in GraphiQL for new users. */
export interface Example {
  query: string;
  /** Values of its variables, as JSON. */
  variables?: string;
}

const someOrganization = '{ "organizationId": "the id that the first tab answers" }';

/** Tabs of GraphiQL on first use, from the caller's own account to what devices measured. */
export const examples: readonly Example[] = [
  {
    query: `# Write your token into the tab "Headers" below, then run this.
query WhoAmI {
  account {
    id
    name
    username
    applications { totalCount items { id name permission } }
    devices { totalCount items { id serial name } }
  }
}
`,
  },
  {
    query: `query Fleet($organizationId: ID!, $limit: Int = 20) {
  devices(organizationId: $organizationId, limit: $limit, sort: "name") {
    totalCount
    items {
      serial
      name
      product { name version }
      applications(limit: 3) { totalCount items { name } }
      latest { name value ts }
    }
  }
}
`,
    variables: someOrganization,
  },
  {
    query: `# A line for each device of an application, of the last day. To begin from nothing, see docs/graphql.md.
query Chart($organizationId: ID!) {
  applications(organizationId: $organizationId, limit: 5) {
    items {
      name
      devices(limit: 10) {
        items { name serial series(variables: ["temperature"], points: 100) { name unit interval ts values } }
      }
    }
  }
}
`,
    variables: someOrganization,
  },
  {
    query: `query Log($organizationId: ID!, $after: String) {
  applications(organizationId: $organizationId, limit: 1) {
    items {
      records(limit: 20, after: $after) { endCursor hasMore items { ts device { serial } values { name unit value } } }
    }
  }
}
`,
    variables: someOrganization,
  },
  {
    query: `query Hooks($organizationId: ID!) {
  applications(organizationId: $organizationId) {
    items {
      name
      hooks { items { url disabled stats { successRate pending p95 lastFailureAt } } }
    }
  }
}
`,
    variables: someOrganization,
  },
  {
    query: `# Stays open: run it, then post a record of a device of the application. Press stop to leave.
subscription Live($organizationId: ID!, $applicationId: ID!) {
  recordReceived(organizationId: $organizationId, applicationId: $applicationId) {
    missed
    records { ts deviceId data }
  }
}
`,
    variables:
      '{ "organizationId": "the id that the first tab answers", "applicationId": "the id of one of its applications" }',
  },
];
