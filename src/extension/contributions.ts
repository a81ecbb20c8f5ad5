/**
 * The names that the manifest and the code have to agree on. What they do is bound in `composition.ts`; that the
 * manifest contributes exactly these is a test's business.
 */

/** Commands, by what they are called in the code. */
export const commandIds = {
  generateSkill: 'mochi.generateSkill',
  previewSkill: 'mochi.previewSkill',
  checkSkills: 'mochi.checkSkills',
  validateSkill: 'mochi.validateSkill',
  openPanel: 'mochi.openPanel',
  readTools: 'mochi.readTools',
  forgetConsent: 'mochi.forgetConsent',
  refresh: 'mochi.refresh',
  showLog: 'mochi.showLog',
  refreshSkills: 'mochi.refreshSkills',
  openSkill: 'mochi.openSkill',
  revealSkill: 'mochi.revealSkill',
  deleteSkill: 'mochi.deleteSkill',
  askDomain: 'mochi.askDomain',
  suggestPattern: 'mochi.suggestPattern',
  learnWorkspace: 'mochi.learnWorkspace',
  pauseCompletions: 'mochi.pauseCompletions',
  resumeCompletions: 'mochi.resumeCompletions',
  snoozeCompletions: 'mochi.snoozeCompletions',
  toggleLanguage: 'mochi.toggleLanguage',
  restartServer: 'mochi.restartServer',
  setModelKey: 'mochi.setModelKey',
  showStatus: 'mochi.showStatus',
  addToClaudeCode: 'mochi.addToClaudeCode',
  useGateway: 'mochi.useGateway',
  leaveGateway: 'mochi.leaveGateway',
  fetchModel: 'mochi.fetchModel',
} satisfies Record<string, `mochi.${string}`>;

export type CommandId = (typeof commandIds)[keyof typeof commandIds];

/** Settings, by what they are called in the code. */
export const settingIds = {
  userFiles: 'mochi.discovery.userFiles',
  mode: 'mochi.skill.mode',
  target: 'mochi.skill.target',
  runtime: 'mochi.skill.runtime',
  timeoutSeconds: 'mochi.server.timeoutSeconds',
  claudeModel: 'mochi.tokens.claudeModel',
  completionsEnabled: 'mochi.completions.enabled',
  completionsLanguages: 'mochi.completions.languages',
  minimumLength: 'mochi.completions.minimumLength',
  threshold: 'mochi.completions.threshold',
  multiline: 'mochi.completions.multiline',
  unverified: 'mochi.completions.unverified',
  engine: 'mochi.server.engine',
  model: 'mochi.server.model',
  modelUrl: 'mochi.server.modelUrl',
  adapter: 'mochi.server.adapter',
  memoryGigabytes: 'mochi.server.memoryGigabytes',
  askAboveFiles: 'mochi.server.askAboveFiles',
  learnOnBattery: 'mochi.server.learnOnBattery',
  gatewayEnabled: 'mochi.gateway.enabled',
  gatewayMode: 'mochi.gateway.mode',
} satisfies Record<string, `mochi.${string}`>;

/** Mochi's tools for chat: the name in the editor, and what Mochi calls it. */
export const LANGUAGE_MODEL_TOOLS = [
  { name: 'mochi_domain_query', tool: 'domain_query' },
  { name: 'mochi_complete_code', tool: 'complete_code' },
  { name: 'mochi_suggest_pattern', tool: 'suggest_pattern' },
] as const satisfies readonly { readonly name: `mochi_${string}`; readonly tool: string }[];

/** The provider that tells the editor of Mochi as an MCP server. */
export const SERVER_PROVIDER = 'mochi.server';
/** The provider that tells it of the gateway. */
export const GATEWAY_PROVIDER = 'mochi.gateway';

/** The tree in the activity bar's container. */
export const SERVERS_VIEW = 'mochi.servers';
/** The tree of installed skills below it. */
export const SKILLS_VIEW = 'mochi.skills';
