/**
 * Answers the `inputs` of VS Code's config files: each is asked for once and its answer kept in secret storage, for one
 * workspace. Inputs that would run a command are never answered. It knows nothing of VS Code.
 */
import type { Input, Server } from '#core/model.ts';
import { OperationError } from '#core/problem.ts';

export interface InputPorts {
  readonly secrets: {
    get(key: string): PromiseLike<string | undefined>;
    store(key: string, value: string): PromiseLike<void>;
    delete(key: string): PromiseLike<void>;
  };
  /** Which answers are kept, so that they can be forgotten. */
  readonly index: { get(): unknown; set(value: unknown): PromiseLike<void> };
  /** Names the workspace: secret storage is one for all of them. */
  workspace(): string;
  ask(input: Input, server: Server): Promise<string | undefined>;
}

export interface InputAnswers {
  /** Undefined for inputs that run a command. Throws OperationError `consent-needed` where nothing was answered. */
  readonly answer: (input: Input, server: Server) => Promise<string | undefined>;
  forget(): Promise<void>;
}

export function createInputAnswers({ secrets, index, workspace, ask }: InputPorts): InputAnswers {
  const asking = new Map<string, Promise<string | undefined>>();
  const kept = (): readonly string[] => {
    const value = index.get();
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list.filter((key) => typeof key === 'string');
  };
  const askOnce = (key: string, input: Input, server: Server): Promise<string | undefined> => {
    const before = asking.get(key);
    if (before !== undefined) return before;
    const answer = ask(input, server).finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  };
  return {
    async answer(input, server) {
      if (input.kind === 'command') return undefined;
      const key = `mochi.input ${JSON.stringify([workspace(), server.source.path, input.id])}`;
      const known = await secrets.get(key);
      if (known !== undefined) return known;
      const given = await askOnce(key, input, server);
      if (given === undefined)
        throw new OperationError('consent-needed', `The input "${input.id}" of "${server.name}" was not answered.`);
      await secrets.store(key, given);
      await index.set([...new Set([...kept(), key])]);
      return given;
    },
    async forget() {
      for (const key of kept()) await secrets.delete(key);
      await index.set([]);
    },
  };
}
