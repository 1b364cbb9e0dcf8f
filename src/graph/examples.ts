/** A sample document in GraphiQL for new users. */
export interface Example {
  query: string;
  /** Values of its variables, as JSON. */
  variables?: string;
}

const someOrganization = '{ "organizationId": "the id that the first tab answers" }';

const someApplication =
  '{ "organizationId": "the id that the first tab answers", "applicationId": "the id of one of its applications" }';

/** Tabs of GraphiQL on first use: the ten documents of docs/graphql.md, each for a screen, and a subscription. */
export const examples: readonly Example[] = [
  {
    query: `# Write your token into the tab "Headers" below, then run this.
query Start {
  account { id name username devices(limit: 1) { totalCount } applications(limit: 1) { totalCount } members(limit: 1) { totalCount } }
}
`,
  },
  {
    query: `query Fleet($organizationId: ID!, $page: Int = 1) {
  devices(organizationId: $organizationId, limit: 20, page: $page, sort: "name") {
    totalCount
    items { id serial name location { lat lon } product { name } latest { name value ts } }
  }
}
`,
    variables: someOrganization,
  },
  {
    query: `query Gauges($organizationId: ID!, $applicationId: ID!) {
  latest(organizationId: $organizationId, applicationId: $applicationId) {
    device { name location { lat lon } }
    values { name ts unit typed { ... on NumberValue { number } ... on BooleanValue { boolean } ... on TextValue { text } } }
  }
}
`,
    variables: someApplication,
  },
  {
    query: `query Screen($organizationId: ID!) {
  applications(organizationId: $organizationId, limit: 1) {
    items {
      name
      permission
      devices(limit: 25) { totalCount items { name serial latest { name value ts } } }
      teams { items { name members(limit: 5) { totalCount items { username avatarURL } } } }
    }
  }
}
`,
    variables: someOrganization,
  },
  {
    query: `query Hooks($organizationId: ID!) {
  applications(organizationId: $organizationId) {
    items { name hooks { items { url disabled disabledReason stats { successRate p95 pending lastFailureAt } settings { circuit } } } }
  }
}
`,
    variables: someOrganization,
  },
  {
    query: `query Deliveries($organizationId: ID!) {
  applications(organizationId: $organizationId, limit: 5) {
    items { name deliveries(limit: 20) { items { successful attemptsMade createdAt hook { url } device { serial name } error { code message } } } }
  }
}
`,
    variables: someOrganization,
  },
  {
    query: `query Access($organizationId: ID!) {
  organization(organizationId: $organizationId) {
    members(limit: 50, sort: "username") {
      items { username role teams(limit: 5) { items { name grants(limit: 5) { items { permission application { name } } } } } }
    }
  }
}
`,
    variables: someOrganization,
  },
  {
    query: `query Products($organizationId: ID!) {
  products(organizationId: $organizationId) {
    items { name version deviceCount variables { name unit type } devices(limit: 3, sort: "-createdAt") { items { serial createdAt } } }
  }
}
`,
    variables: someOrganization,
  },
  {
    query: `query Log($organizationId: ID!, $applicationId: ID!, $after: String) {
  application(organizationId: $organizationId, applicationId: $applicationId) {
    records(limit: 50, after: $after) {
      items { ts device { serial name } values { name unit value } metadata }
      endCursor
      hasMore
    }
  }
}
`,
    variables: someApplication,
  },
  {
    query: `query Chart($organizationId: ID!, $applicationId: ID!, $from: UnixTime, $to: UnixTime) {
  series(
    organizationId: $organizationId
    applicationId: $applicationId
    variables: ["temperature"]
    from: $from
    to: $to
    points: 200
    function: avg
  ) {
    device { name serial }
    name
    unit
    interval
    ts
    values
  }
}
`,
    variables: someApplication,
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
    variables: someApplication,
  },
];
