import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { type Assistant, connectAssistant } from './assistant.js';
import { type ColdStore, makeColdStore } from './scene.js';

const world = useWorld();
let store: ColdStore;
let assistant: Assistant;

beforeAll(async () => {
  store = await makeColdStore(world);
  assistant = await connectAssistant(world.url, store.owner, 'modern');
});

afterAll(() => assistant.client.close());

describe('an assistant with the tools alone', () => {
  it('answers which freezers were above -15 last night, and whether anybody was told', async () => {
    // The assistant finds the freezers, and the application that has their records.
    const found = await assistant.call('find_devices', { q: 'freezer' });
    const { devices } = found.data;
    expect(devices.map(({ name }: { name: string }) => name).sort()).toEqual([
      'Freezer East',
      'Freezer North',
      'Freezer South',
    ]);
    const [applicationId] = devices.map(({ applications }: { applications: { id: string }[] }) => applications[0]!.id);
    // The assistant asks for the highest temperature of each freezer, among records above -15.
    const searched = await assistant.call('search_records', {
      applicationId,
      from: new Date(store.night.from * 1000).toISOString(),
      to: new Date(store.night.to * 1000).toISOString(),
      size: 0,
      query: {
        bool: {
          filter: [
            { terms: { 'device.id': devices.map(({ id }: { id: string }) => id) } },
            { range: { 'data.temperature': { gt: -15 } } },
          ],
        },
      },
      aggs: {
        devices: {
          terms: { field: 'device.id', size: 100 },
          aggs: { warmest: { max: { field: 'data.temperature' } } },
        },
      },
    });
    const { buckets } = searched.data['aggregations'].devices;
    const warmest = Object.fromEntries(buckets.map((bucket: any) => [bucket.key, bucket.warmest.value]));
    expect(warmest).toEqual({ [store.devices['Freezer North']!]: -12, [store.devices['Freezer South']!]: -13.5 });
    // The assistant asks which freezers raised an alert, and who is notified.
    const alerts = await assistant.call('open_alerts', { state: 'any', applicationId, from: store.night.from });
    expect(alerts.data['alerts']).toEqual([
      expect.objectContaining({
        name: 'Too warm',
        deviceId: store.devices['Freezer North'],
        isOpen: false,
        values: { temperature: -12 },
        notified: { mails: [], hooks: [] },
        wouldNotify: { recipients: [{ address: 'night@cold.example', state: expect.any(String) }], hooks: 0 },
      }),
    ]);
    // One hook is called for alerts, but a user has disabled it.
    const hooks = await assistant.call('hook_health', { applicationId });
    expect(hooks.data['hooks']).toEqual([
      expect.objectContaining({ events: ['alert.opened'], disabled: true, disabledReason: 'request' }),
    ]);
  });
});
