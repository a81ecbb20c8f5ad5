/** What is said to whoever asks a model that cannot answer yet. */
import { MochiFault } from '../limits.ts';
import type { ModelState } from './model-engine.ts';

/** The reason of a failure where there is one, else how far the loading is. */
export function notReady(state: ModelState): MochiFault {
  if (state.kind === 'failed' && state.fault instanceof MochiFault) return state.fault;
  const share = state.kind === 'loading' ? state.share : undefined;
  const far = share === undefined ? '' : `: ${Math.round(share * 100)} %`;
  return new MochiFault('not-ready', `The model is loading${far}.`, { remedy: 'Try again in a few seconds.' });
}
