/** One screen, and its document for each server. */
export interface Screen {
  title: string;
  ours: string;
  postgraphile: string;
  mercurius: string;
}

/** The screens that the GraphQL servers are compared by. */
export const screens: Readonly<Record<string, Screen>> = {
  nested: {
    title: '50 devices, each with product and applications',
    ours: `query ($organizationId: ID!) {
      devices(organizationId: $organizationId, limit: 50) { items {
        id serial name slug tags createdAt
        product { id name version }
        applications { items { id name slug } } } } }`,
    postgraphile: `query ($organizationId: UUID!) {
      allDevices(condition: { organizationId: $organizationId }, first: 50, orderBy: PRIMARY_KEY_ASC) { nodes {
        rowId serial name slug tags createdAt
        productByProductId { rowId name version }
        applicationDevicesByOrganizationIdAndDeviceId(first: 10) { nodes {
          applicationByOrganizationIdAndApplicationId { rowId name slug } } } } } }`,
    mercurius: `query ($organizationId: ID!) {
      devices(organizationId: $organizationId, limit: 50) {
        id serial name slug tags createdAt
        product { id name version }
        applications { id name slug } } }`,
  },
  dashboard: {
    title: 'A dashboard of six panels',
    ours: `query ($organizationId: ID!, $deviceId: ID!) {
      organization(organizationId: $organizationId) { id name username }
      device(organizationId: $organizationId, deviceId: $deviceId) {
        id serial name product { id name version } applications { items { id name } } }
      devices(organizationId: $organizationId) { totalCount items { id serial name product { name } } }
      applications(organizationId: $organizationId) { items { id name devices(limit: 3) { totalCount items { id serial } } } }
      products(organizationId: $organizationId) { items { id name version deviceCount } }
      teams(organizationId: $organizationId) { items { id name members { items { id username } } } } }`,
    postgraphile: `query ($organizationId: UUID!, $deviceId: UUID!) {
      accountByRowId(rowId: $organizationId) { rowId name username }
      deviceByOrganizationIdAndRowId(organizationId: $organizationId, rowId: $deviceId) {
        rowId serial name productByProductId { rowId name version }
        applicationDevicesByOrganizationIdAndDeviceId(first: 10) { nodes {
          applicationByOrganizationIdAndApplicationId { rowId name } } } }
      allDevices(condition: { organizationId: $organizationId }, first: 10, orderBy: PRIMARY_KEY_ASC) {
        totalCount nodes { rowId serial name productByProductId { name } } }
      allApplications(condition: { organizationId: $organizationId }, first: 10, orderBy: PRIMARY_KEY_ASC) { nodes {
        rowId name applicationDevicesByOrganizationIdAndApplicationId(first: 3) {
          totalCount nodes { deviceByOrganizationIdAndDeviceId { rowId serial } } } } }
      allProducts(condition: { organizationId: $organizationId }, first: 10, orderBy: PRIMARY_KEY_ASC) { nodes {
        rowId name version devicesByProductId { totalCount } } }
      allTeams(condition: { organizationId: $organizationId }, first: 10, orderBy: PRIMARY_KEY_ASC) { nodes {
        rowId name teamMembersByOrganizationIdAndTeamId(first: 10) { nodes {
          membershipByOrganizationIdAndUserId { accountByUserId { rowId username } } } } } } }`,
    mercurius: `query ($organizationId: ID!, $deviceId: ID!) {
      organization(organizationId: $organizationId) { id name username }
      device(organizationId: $organizationId, deviceId: $deviceId) {
        id serial name product { id name version } applications { id name } }
      deviceTotal(organizationId: $organizationId)
      devices(organizationId: $organizationId, limit: 10) { id serial name product { name } }
      applications(organizationId: $organizationId, limit: 10) { id name deviceCount devices(limit: 3) { id serial } }
      products(organizationId: $organizationId, limit: 10) { id name version deviceCount }
      teams(organizationId: $organizationId, limit: 10) { id name members { id username } } }`,
  },
  device: {
    title: 'One device by its identifier',
    ours: `query ($organizationId: ID!, $deviceId: ID!) {
      device(organizationId: $organizationId, deviceId: $deviceId) { id serial name slug tags createdAt } }`,
    postgraphile: `query ($deviceId: UUID!) { deviceByRowId(rowId: $deviceId) { rowId serial name slug tags createdAt } }`,
    mercurius: `query ($organizationId: ID!, $deviceId: ID!) {
      device(organizationId: $organizationId, deviceId: $deviceId) { id serial name slug tags createdAt } }`,
  },
};
