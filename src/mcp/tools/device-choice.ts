import { z } from 'zod';
import { id } from '../tool.js';

/** Inputs of tools that go through devices: some of them, those of an application, or those that a text finds. */
export const deviceChoice = {
  deviceIds: z.array(id('Device.')).max(100).optional().describe('Only these devices.'),
  applicationId: id('Only devices linked to this application.').optional(),
  q: z.string().max(256).optional().describe('Regular expression that the name, serial number or a tag matches.'),
};
