/**
 * An engine whose answers are joined by what another source knows. The engine's own passages stay first and its
 * confidence stays what it said, since that speaks of the first passage; completions do not wait for anybody.
 */
import type { Answer, Engine, Passage, Question } from '../engine/engine.ts';
import type { ContextSource } from './source.ts';

const mostAdded = 5;

export function withContext(engine: Engine, source: ContextSource): Engine {
  return {
    name: engine.name,
    get state() {
      return engine.state;
    },
    complete: (request, signal) => engine.complete(request, signal),
    suggest: (request, signal) => engine.suggest(request, signal),
    async answer(question, signal) {
      const [answer, found] = await Promise.all([
        engine.answer(question, signal),
        source.find(question.instruction, signal),
      ]);
      signal.throwIfAborted();
      return joined(answer, found, source.name, question);
    },
  };
}

const overlaps = (one: Passage, two: Passage): boolean =>
  one.file === two.file && one.line <= two.endLine && two.line <= one.endLine;

function joined(answer: Answer, found: readonly Passage[], name: string, { maxTokens }: Question): Answer {
  const added: Passage[] = [];
  for (const passage of found) {
    const isKnown = [...answer.passages, ...added].some((known) => overlaps(known, passage));
    if (!isKnown && added.length < mostAdded) added.push({ ...passage, source: name });
  }
  if (added.length === 0) return answer;
  const told = [`Also found by ${name}:`, ...added.map(({ file, line }) => `${file}:${line}`)];
  const words = told.join(' ').split(' ').length;
  const hasRoom = answer.tokensGenerated + words <= maxTokens;
  return {
    ...answer,
    passages: [...answer.passages, ...added],
    ...(hasRoom && {
      response: `${answer.response}\n\n${told.join('\n')}`,
      tokensGenerated: answer.tokensGenerated + words,
    }),
  };
}
