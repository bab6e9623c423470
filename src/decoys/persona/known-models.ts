/**
 * Models as real servers list them. Prevents fingerprinting by look-up: a well-known name has the size
 * and digest of the public registry.
 */

/** Of the Ollama registry, as servers report them. */
export interface KnownModel {
  /** `llama3.1:8b`. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Sixty-four hexadecimal digits. */
  readonly digest: string;
  readonly family: string;
  readonly parameterSize: string;
  readonly quantization: string;
  readonly contextLength: number;
  readonly blockCount: number;
  readonly embeddingLength: number;
}

/** name, bytes, digest, family, parameters, quantization, context, layers, width. */
const ROWS = `
llama3.1:8b 4920753328 46e0c10c039e019119339687c3c1757cc81b9da49709a3b3924863ba87ca666e llama 8.0B Q4_K_M 131072 32 4096
llama3.2:latest 2019393189 a80c4f17acd55265feec403c7aef86be0c25983ab279d83f3bcd3abbcb5b8b72 llama 3.2B Q4_K_M 131072 28 3072
llama3.3:70b 42520413916 a6eb4748fd2990ad2952b2335a95a7f952d1a06119a0aa6a2df6cd052a93a3fa llama 70.6B Q4_K_M 131072 80 8192
mistral:7b 4372824384 6577803aa9a036369e481d648a2baebb381ebc6e897f2bb9a766a2aa7bfbc1cf llama 7.2B Q4_K_M 32768 32 4096
mistral-nemo:12b 7071713227 e7e06d107c6c86ed0cf45445f1790720b5092149c4c95f4d965844e9afbfdc89 llama 12.2B Q4_0 131072 40 5120
dolphin3:8b 4920757726 d5ab9ae8e1f22619a6be52e5694df422b7183a3883990a000188c363781ecb78 llama 8.0B Q4_K_M 131072 32 4096
qwen2.5:3b 1929912432 357c53fb659c5076de1d65ccb0b397446227b71a42be9d1603d46168015c9e4b qwen2 3.1B Q4_K_M 32768 36 2048
qwen2.5:latest 4683087332 845dbda0ea48ed749caafd9e6037047aa19acfcfd82e704d7ca97d631a0b697e qwen2 7.6B Q4_K_M 32768 28 3584
qwen2.5:14b 8988124069 7cdf5a0187d5c58cc5d369b255592f7841d1c4696d45a8c8a9489440385b22f6 qwen2 14.8B Q4_K_M 32768 48 5120
qwen2.5-coder:3b 1929912626 f72c60cabf6237b07f6e632b2c48d533cef25eda2efbd34bed21c5e9c01e6225 qwen2 3.1B Q4_K_M 32768 36 2048
qwen2.5-coder:7b 4683087561 dae161e27b0e90dd1856c8bb3209201fd6736d8eb66298e75ed87571486f4364 qwen2 7.6B Q4_K_M 32768 28 3584
qwen2.5-coder:14b 8988124298 9ec8897f747e246e970bc5cfdda85d22f1123dc2e3d34978a010a75968716849 qwen2 14.8B Q4_K_M 32768 48 5120
qwen3:4b 2497293918 e55aed6fe643f9368b2f48f8aaa56ec787b75765da69f794c0a0c23bfe7c64b2 qwen3 4.0B Q4_K_M 262144 36 2560
qwen3:8b 5225388164 500a1f067a9f782620b40bee6f7b0c89e17ae61f686b92c24933e4ca4b2b8b41 qwen3 8.2B Q4_K_M 40960 36 4096
deepseek-r1:7b 4683075271 0a8c266910232fd3291e71e5ba1e058cc5af9d411192cf88b6d30e92b6e73163 qwen2 7.6B Q4_K_M 131072 28 3584
deepseek-r1:8b 4920738407 28f8fd6cdc677661426adab9338ce3c013d7e69a5bea9e704b364171a5d61a10 llama 8.0B Q4_K_M 131072 32 4096
deepseek-r1:70b 42520397704 0c1615a8ca32ef41e433aa420558b4685f9fc7f3fd74119860a8e2e389cd7942 llama 70.6B Q4_K_M 131072 80 8192
deepseek-coder-v2:16b 8905126121 63fb193b3a9b4322a18e8c6b250ca2e70a5ff531e962dbf95ba089b2566f2fa5 deepseek2 15.7B Q4_0 163840 27 2048
gemma2:27b 15628387569 371038893ee3aeecdd361850ba3a13c3f1f08f5e0c448ac11927ea15809b2b6b gemma2 27.2B Q4_0 8192 46 4608
phi4-mini-reasoning:3.8b 3152479391 3ca8c2865ce91b6be853a25e56edfefa4f473db55a391611989b753ecf0fa419 phi3 3.8B Q4_K_M 131072 32 3072
gpt-oss:20b 13780173724 aa4295ac10c3afb60e6d711289fc6896f5aef82258997b9efdaed6d0cc4cd8b8 gptoss 20.9B MXFP4 131072 24 2880
nomic-embed-text:latest 274302450 0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f nomic-bert 137M F16 2048 12 768
mxbai-embed-large:latest 669615493 468836162de7f81e041c43663fedbbba921dcea9b9fefea135685a39b2d83dd8 bert 334M F16 512 24 1024`;

export const KNOWN_LOCAL: readonly KnownModel[] = ROWS.trim()
  .split('\n')
  .map((row) => {
    const [name = '', bytes, digest = '', family = '', parameterSize = '', ...rest] =
      row.split(' ');
    const [quantization = '', ...numbers] = rest;
    const [contextLength = 0, blockCount = 0, embeddingLength = 0] = numbers.map(Number);
    return {
      ...{ name, sizeBytes: Number(bytes), digest, family, parameterSize, quantization },
      ...{ contextLength, blockCount, embeddingLength },
    };
  });

/** Repositories that vLLM servers serve, with their longest context and the width of their embeddings. */
export const KNOWN_SERVED: readonly (readonly [id: string, context: number, width: number])[] = [
  ['meta-llama/Llama-3.1-8B-Instruct', 131_072, 4096],
  ['meta-llama/Meta-Llama-3.1-70B-Instruct', 131_072, 8192],
  ['meta-llama/Llama-3.3-70B-Instruct', 131_072, 8192],
  ['meta-llama/Llama-3.2-3B-Instruct', 131_072, 3072],
  ['Qwen/Qwen2.5-7B-Instruct', 32_768, 3584],
  ['Qwen/Qwen2.5-14B-Instruct', 32_768, 5120],
  ['Qwen/Qwen2.5-32B-Instruct', 32_768, 5120],
  ['Qwen/Qwen2.5-32B-Instruct-AWQ', 32_768, 5120],
  ['Qwen/Qwen2.5-72B-Instruct-AWQ', 32_768, 8192],
  ['Qwen/Qwen2.5-Coder-32B-Instruct', 32_768, 5120],
  ['Qwen/Qwen2.5-VL-7B-Instruct', 128_000, 3584],
  ['Qwen/QwQ-32B', 40_960, 5120],
  ['Qwen/Qwen3-8B', 40_960, 4096],
  ['Qwen/Qwen3-14B', 40_960, 5120],
  ['Qwen/Qwen3-32B', 40_960, 5120],
  ['Qwen/Qwen3-30B-A3B-Instruct-2507', 262_144, 2048],
  ['mistralai/Mistral-7B-Instruct-v0.3', 32_768, 4096],
  ['mistralai/Mistral-Nemo-Instruct-2407', 131_072, 5120],
  ['mistralai/Mistral-Small-24B-Instruct-2501', 32_768, 5120],
  ['google/gemma-2-9b-it', 8_192, 3584],
  ['google/gemma-3-27b-it', 131_072, 5376],
  ['deepseek-ai/DeepSeek-R1-Distill-Qwen-14B', 131_072, 5120],
  ['deepseek-ai/DeepSeek-R1-Distill-Qwen-32B', 131_072, 5120],
  ['deepseek-ai/DeepSeek-R1-Distill-Llama-70B', 131_072, 8192],
  ['microsoft/phi-4', 16_384, 5120],
  ['openai/gpt-oss-20b', 131_072, 2880],
  ['openai/gpt-oss-120b', 131_072, 2880],
  ['NousResearch/Hermes-3-Llama-3.1-8B', 131_072, 4096],
  ['TheBloke/Mistral-7B-Instruct-v0.2-AWQ', 32_768, 4096],
  ['ibm-granite/granite-3.1-8b-instruct', 131_072, 4096],
];
