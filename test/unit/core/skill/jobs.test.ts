import { describe, expect, it } from 'vitest';
import type { Tool } from '../../../../src/core/model.ts';
import { findJob } from '../../../../src/core/skill/jobs.ts';
import { corpus } from '../../../support/corpus.ts';

const tools = (...names: readonly string[]): readonly Tool[] =>
  names.map((name) => ({ name, description: '', inputSchema: { type: 'object' } }));

describe('finding the tools of a job', () => {
  it.each<[readonly string[], string[]]>([
    [
      ['flux_lora_submit', 'flux_lora_status', 'flux_lora_result'],
      ['flux_lora_submit', 'flux_lora_status', 'flux_lora_result'],
    ],
    [
      ['result', 'status', 'submit'],
      ['submit', 'status', 'result'],
    ],
    [
      ['create_video', 'get_video_status', 'get_video_result'],
      ['create_video', 'get_video_status', 'get_video_result'],
    ],
    [
      ['startRenderJob', 'checkRenderState', 'fetchRenderOutput'],
      ['startRenderJob', 'checkRenderState', 'fetchRenderOutput'],
    ],
    [
      ['a_submit', 'b_submit', 'b_status', 'b_result', 'a_status'],
      ['b_submit', 'b_status', 'b_result'],
    ],
  ])('takes %j as one job', (names, expected) => {
    const job = findJob(tools(...names));
    expect(job && [job.submit, job.status, job.result]).toEqual(expected);
  });

  it.each([
    [['x_submit', 'x_status']],
    [['x_submit', 'y_status', 'x_result']],
    [['gzip-file-as-resource', 'simulate-research-query', 'get-annotated-message']],
    [['create_image', 'get_image_status', 'fetch_image']],
    [['get_status', 'run_check']],
    [[]],
  ])('finds none in %j', (names) => {
    expect(findJob(tools(...names))).toBeUndefined();
  });

  it('finds no job in any recorded server: none of them has one', () => {
    expect(corpus().filter((catalog) => findJob(catalog.tools) !== undefined)).toEqual([]);
  });
});
