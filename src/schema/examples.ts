import type { GraphQLSchema } from 'graphql';

const organization = 'organizationId: "..."';
const application = `${organization}, applicationId: "..."`;
const rule = 'name: "Too warm", when: { all: [{ variable: "temperature", operator: gt, value: 8 }] }';
const variables = 'variables: [{ name: "temperature", type: FLOAT32, unit: "°C" }]';
const changed = '{ matched changed }';
const put = '{ created updated results { status id error { code message } } }';

/** Arguments and selection of an example for each query and mutation that takes an object or a JSON value. */
const examples: Readonly<Record<string, string>> = {
  applicationExport: `(${application}, query: { exists: { field: "data.temperature" } }) { url }`,
  auditEvents: `(${organization}, filter: { action: "deleteDevice", from: "2026-11-20T00:00:00Z" }) { items { at action } }`,
  auditEventsConnection: `(${organization}, filter: { outcome: refused }, first: 50) { nodes { at action } }`,
  createAlertRule: `(${application}, kind: threshold, ${rule}, for: 300) { id }`,
  createApplicationHook: `(${application}, url: "https://erp.example/records", authentication: { bearer: { value: "..." } }) { id }`,
  createNetworkServer: `(${organization}, kind: THE_THINGS_STACK, name: "Roof", address: "https://eu1.cloud.thethings.network", application: "pumps", apiKey: "NNSXS...") { id }`,
  createProduct: `(${organization}, name: "Thermometer", version: "1", ${variables}) { id }`,
  deleteDevices: `(${organization}, filter: { tag: "scrapped" }, dryRun: true) ${changed}`,
  devices: `(${organization}, filter: { tag: "roof", silentSince: "2026-11-20T00:00:00Z" }) { items { id serial } }`,
  createSite: `(${organization}, name: "Building 2", kind: "building", location: { lat: 59.86, lon: 17.64 }) { id }`,
  updateSite: `(${organization}, siteId: "...", name: "Floor 1", parentId: "...") { id }`,
  devicesConnection: `(${organization}, filter: { near: { lat: 59.86, lon: 17.64, radius: 500 } }, first: 50) { nodes { id serial } }`,
  declareMeterExchange: `(${organization}, deviceId: "...", variable: "energy", ts: "2026-11-20T10:00:00Z", value: 4711) { id }`,
  groupSeries: `(${organization}, over: { tag: "meter" }, variable: "energy", from: "2026-11-01T00:00:00Z", calendarInterval: day, perDevice: increase, combine: sum) { ts values devices expected }`,
  ingestRecords: `(${organization}, records: [{ serial: "a0-01", data: { temperature: -18.5 } }]) { accepted rejected }`,
  linkDevices: `(${application}, filter: { tag: "roof" }) ${changed}`,
  previewAlertRule: `(${application}, kind: threshold, when: { any: [{ variable: "door", operator: eq, value: true }] }) { episodeCount }`,
  previewFormulas: `(${organization}, productId: "...", deviceId: "...", derived: [{ name: "fahrenheit", type: FLOAT32, formula: "temperature * 1.8 + 32" }]) { faults { message at } records { ts values { value code } } }`,
  putApplications: `(${organization}, applications: [{ externalId: "cold-store", name: "Cold store" }]) ${put}`,
  putDevices: `(${organization}, devices: [{ serial: "a0-01", name: "Freezer", tags: ["roof"] }], linkTo: ["..."]) ${put}`,
  putAlertRules: `(${application}, alertRules: [{ externalId: "hot", kind: threshold, name: "Too warm", when: { all: [{ variable: "temperature", operator: gt, value: 8 }] } }]) ${put}`,
  putHooks: `(${application}, hooks: [{ externalId: "erp", url: "https://erp.example/records", filter: { tags: ["roof"] } }]) ${put}`,
  putProductSettings: `(${organization}, productId: "...", settings: { variables: [{ name: "energy", counter: { rollsOverAt: 1000000 } }], derived: [{ name: "fahrenheit", type: FLOAT32, formula: "temperature * 1.8 + 32" }] }) { id }`,
  moveDevices: `(${organization}, siteId: "...", serials: ["a0-01"]) ${changed}`,
  putSites: `(${organization}, sites: [{ externalId: "b2", name: "Building 2", kind: "building" }, { externalId: "b2-1", name: "Floor 1", parent: "b2" }]) ${put}`,
  putProducts: `(${organization}, products: [{ externalId: "thermometer", name: "Thermometer", version: "1", ${variables} }]) ${put}`,
  putTeamApplications: `(${organization}, teamId: "...", applications: [{ externalId: "cold-store", permission: write }]) ${put}`,
  putTeamMembers: `(${organization}, teamId: "...", members: [{ username: "ada" }]) ${put}`,
  putTeams: `(${organization}, teams: [{ name: "Night crew" }]) ${put}`,
  registerDevice: `(${organization}, deviceSerial: "a0-01", name: "Freezer", product: { id: "..." }) { id }`,
  reportState: `(${organization}, deviceId: "...", reported: { setPoint: 21.5 }, versions: { setPoint: 3 }) { state { name settled } }`,
  search: `(${application}, ts: { gte: 1774742400, lte: 1774828800 }, queries: [{ products: [], query: { exists: { field: "data.temperature" } } }]) { responses }`,
  tagDevices: `(${organization}, filter: { applicationId: "..." }, tags: ["roof"]) ${changed}`,
  unlinkDevices: `(${application}, filter: { tag: "scrapped" }) ${changed}`,
  untagDevices: `(${organization}, filter: { productIds: ["..."] }, tags: ["roof"]) ${changed}`,
  sendCommand: `(${organization}, deviceId: "...", name: "setPoint", parameters: { celsius: 21.5 }) { id state }`,
  sendCommands: `(${organization}, filter: { tag: "roof" }, name: "setPoint", parameters: { celsius: 21.5 }, key: "night") ${changed}`,
  setDesiredState: `(${organization}, deviceId: "...", desired: { setPoint: 21.5 }) { state { name version settled } }`,
  answerCommand: `(${organization}, deviceId: "...", commandId: "...", result: { was: 19 }) { state }`,
  setDeviceAttributes: `(${organization}, deviceId: "...", attributes: [{ name: "offset", value: -0.4, validFrom: "2026-11-20T00:00:00Z" }]) { attributes { name value } }`,
  setSiteAttributes: `(${organization}, siteId: "...", attributes: [{ name: "area", value: 1250 }]) { attributes { name value } }`,
  updateAlertRule: `(${application}, alertRuleId: "...", ${rule}) { id }`,
  updateApplicationHook: `(${application}, applicationHookId: "...", url: "https://erp.example/records", authentication: { basic: { user: "ddp", pass: "..." } }) { id }`,
  updateApplicationHookSettings: `(${application}, applicationHookId: "...", filter: { tags: ["roof"] }) { filter { tags } }`,
  updateDashboard: `(${application}, version: 0, document: { format: 1, range: "24h", variables: [], panels: [] }) { version }`,
  updateDevice: `(${organization}, deviceId: "...", location: { lat: 59.86, lon: 17.64 }) { id }`,
  updateProduct: `(${organization}, productId: "...", name: "Thermometer", version: "2", ${variables}) { id }`,
};

/** Adds an example to the descriptions of queries and mutations. */
export function describeExamples(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    const prefix = root === schema.getQueryType() ? '' : 'mutation ';
    for (const field of Object.values(root?.getFields() ?? {})) {
      const example = examples[field.name];
      if (example === undefined) continue;
      field.description = `${field.description ?? ''} Example: \`${prefix}{ ${field.name}${example} }\``;
    }
  }
}
