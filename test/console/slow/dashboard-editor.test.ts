import { expect, it } from '@jest/globals';
import { useWorld } from '../../support/world.js';
import { describeInBrowser, useBrowser, violationsOf } from '../browser.js';
import { coldRooms, saveDashboard } from '../dashboards.js';

describeInBrowser('console: editor of a dashboard', () => {
  const world = useWorld();
  const browser = useBrowser();
  const notes = (title: string, x: number) => ({
    id: title.toLowerCase(),
    kind: 'text',
    title,
    text: '',
    x,
    y: 0,
    w: 4,
    h: 4,
  });

  const opened = async (variables?: readonly object[]) => {
    const made = await coldRooms(world, true, variables);
    await saveDashboard(made.owner, made.application, [notes('First', 0), notes('Second', 4)]);
    const { page, faults } = await browser.open(`${made.address}#token=${made.owner.token}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    return { ...made, page, faults, said: page.getByRole('status', { name: 'Arrangement' }) };
  };

  it('adds a panel of each kind, changes one beside its preview, and saves them', async () => {
    const { page, faults } = await opened();
    for (const kind of ['Chart', 'Figure', 'Newest values', 'Map', 'States', 'Top list', 'Query', 'Text']) {
      await page.getByRole('button', { name: 'Add a panel' }).click();
      await page.getByRole('dialog').getByRole('button', { name: kind }).click();
      await page.getByRole('dialog').getByLabel('Title').fill(kind);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
    }
    await page.getByRole('button', { name: 'Edit Chart' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Cold');
    await dialog.getByRole('combobox', { name: 'Variable' }).selectOption('temperature');
    await dialog.getByLabel('Devices').selectOption('With a tag');
    await dialog.getByRole('combobox', { name: 'Tag', exact: true }).selectOption('lyon');
    await dialog.getByLabel('Draw as').selectOption('Areas');
    await dialog.getByRole('button', { name: 'Mark values' }).click();
    await dialog.getByLabel('From', { exact: true }).fill('-10');
    await dialog.getByRole('group', { name: 'Preview' }).getByText('warning from −10').waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The dashboard was saved.').waitFor();
    await page.getByRole('article', { name: 'Cold' }).getByText('warning from −10').waitFor();
    expect(await page.getByRole('article').count()).toBe(10);
    expect(faults).toEqual([]);
  }, 120_000);

  it('begins with a numeric variable, and offers marked values only for panels that show them', async () => {
    const { page } = await opened([
      { name: 'running', type: 'BOOL' },
      { name: 'pressure', type: 'FLOAT32' },
      { name: 'open', type: 'BOOL' },
    ]);
    const dialog = page.getByRole('dialog');
    const mark = dialog.getByRole('button', { name: 'Mark values' });
    for (const kind of ['Chart', 'Figure']) {
      await page.getByRole('button', { name: 'Add a panel' }).click();
      await dialog.getByRole('button', { name: kind }).click();
      const variable = dialog.getByRole('combobox', { name: 'Variable' });
      await variable.waitFor();
      expect(await variable.locator('option').allInnerTexts()).toEqual(['pressure', 'running', 'open']);
      await mark.waitFor();
      await variable.selectOption('running');
      await mark.waitFor({ state: 'detached' });
      await dialog.getByLabel('Value').selectOption('Number of values');
      await mark.waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
    }
  });

  it('arranges by the arrow keys alone, says where the panel is, and takes steps back', async () => {
    const { page, said } = await opened();
    const first = page.getByRole('button', { name: 'Arrange First' });
    await first.focus();
    await page.keyboard.press('ArrowRight');
    expect(await said.innerText()).toBe('First: column 2 of 12, row 1, 4 wide, 4 high');
    expect(await first.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowDown');
    expect(await said.innerText()).toBe('First: column 2 of 12, row 1, 5 wide, 5 high');
    await page.keyboard.press('ArrowDown');
    expect(await said.innerText()).toBe('First: column 2 of 12, row 5, 5 wide, 5 high');
    await page.keyboard.press('ArrowDown');
    expect(await said.innerText()).toContain('no further that way');
    for (let steps = 0; steps < 4; steps++) await page.keyboard.press('Control+z');
    await page.getByRole('button', { name: 'Undo', disabled: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  });

  it('arranges by the mouse: a title moves a panel, a corner changes its size', async () => {
    const { page, said } = await opened();
    const head = (await page.getByRole('heading', { name: 'Second' }).boundingBox())!;
    await page.mouse.move(head.x + 5, head.y + 5);
    await page.mouse.down();
    await page.mouse.move(head.x - 300, head.y + 10, { steps: 5 });
    await page.mouse.up();
    expect(await said.innerText()).toMatch(/^Second: column [12] of 12, row 1, 4 wide/);
    const box = (await page.getByRole('article', { name: 'Second' }).boundingBox())!;
    await page.mouse.move(box.x + box.width - 6, box.y + box.height - 6);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 160, box.y + box.height + 90, { steps: 5 });
    await page.mouse.up();
    expect(await said.innerText()).toMatch(/^Second: column [12] of 12, row 1, 6 wide, 6 high/);
  });

  it('shows who saved meanwhile and what, and lets the person look, take theirs or overwrite', async () => {
    const { page, owner, application, address } = await opened();
    await page.getByRole('button', { name: 'Remove Second' }).click();
    await saveDashboard(owner, application, [notes('First', 0), notes('Second', 4), notes('Third', 8)]);
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody saved this dashboard meanwhile' });
    await dialog.getByText('A token of the organization saved it').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(['Added Third', 'Removed Second']);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Back to the editor' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.getByText('The dashboard was saved.').waitFor();
    await page.goto(address);
    await page.getByRole('article', { name: 'First' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
  });

  it('keeps unsaved changes when the person leaves the screen and comes back', async () => {
    const { page } = await opened();
    await page.getByRole('button', { name: 'Remove Second' }).click();
    await page.getByRole('link', { name: 'Devices' }).first().click();
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByText('Your unsaved changes are still here.').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('article', { name: 'Second' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
  });

  it('adds variables that panels take, and makes panels of removed ones show all devices', async () => {
    const { page, owner, application } = await opened();
    await page.getByRole('button', { name: 'Range and variables' }).click();
    await page.getByRole('button', { name: 'Add a variable' }).click();
    await page.getByLabel('Name').last().fill('1 room');
    await page.getByText('A name begins with a letter').waitFor();
    await page.getByLabel('Name').last().fill('room');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Add a panel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Chart' }).click();
    await page.getByRole('dialog').getByLabel('Devices').selectOption('By the variable room (tag)');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Range and variables' }).click();
    await page.getByRole('button', { name: 'Remove variable 2' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The dashboard was saved.').waitFor();
    expect(await page.getByLabel('room').count()).toBe(0);
    const query = `query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) {
      dashboard { document } } }`;
    const { body } = await owner.graph(query, { o: owner.id, a: application });
    const [panel] = body.data!['application'].dashboard.document.panels.slice(-1);
    expect(panel.sources).toEqual([expect.not.objectContaining({ tag: expect.anything() })]);
  });

  it('renames a dashboard variable in the panels that use it', async () => {
    const { page, owner, application } = await opened();
    const source = { variable: 'data.temperature', tag: '$site' };
    await saveDashboard(owner, application, [
      { ...notes('Lines', 0), kind: 'series', sources: [source], draw: 'line', text: undefined },
      { ...notes('Highest', 4), kind: 'figure', source, aggregate: 'max', text: undefined },
    ]);
    await page.reload();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: 'Range and variables' }).click();
    await page.getByLabel('Name').fill('town');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The dashboard was saved.').waitFor();
    await page.getByLabel('town').selectOption('lyon');
    await page.getByRole('article', { name: 'Highest' }).getByText('−15').waitFor();
    expect(await page.getByRole('button', { name: 'Larder' }).count()).toBe(0);
  });

  it('saves what is left when more steps were made than can be taken back', async () => {
    const { page } = await opened();
    await page.getByRole('button', { name: 'Arrange First' }).focus();
    await page.keyboard.press('Shift+ArrowDown');
    for (let steps = 0; steps < 50; steps++) {
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowLeft');
    }
    for (let steps = 0; steps < 100; steps++) await page.keyboard.press('Control+z');
    await page.getByRole('button', { name: 'Undo', disabled: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isEnabled()).toBe(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The dashboard was saved.').waitFor();
  }, 60_000);

  it('links a device of another application while a panel is made, and shows it there', async () => {
    const { page, owner, address } = await opened();
    await owner.make(`/organizations/${owner.id}/devices/c0-09`, { name: 'Attic' });
    await page.getByRole('button', { name: 'Add a panel' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add: newest values' });
    await page.getByRole('dialog').getByRole('button', { name: 'Newest values' }).click();
    await dialog.getByLabel('Devices').first().selectOption('Some');
    await dialog.getByRole('button', { name: 'Add a device of another application' }).first().click();
    const link = page.getByRole('dialog', { name: 'Link a device' });
    await link.getByRole('combobox', { name: 'Device' }).fill('Attic');
    await link.getByRole('option', { name: 'Attic' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await link.getByRole('button', { name: 'Link' }).click();
    await dialog.getByText('Freezer, Attic').waitFor();
    await dialog.getByRole('cell', { name: 'Attic' }).waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The dashboard was saved.').waitFor();
    await page.goto(address);
    await page.getByRole('cell', { name: 'Attic' }).waitFor();
  }, 60_000);
});
