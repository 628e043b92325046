#include "cli/examples.hpp"

namespace assay::cli {

const std::vector<CommandExamples>& examples() {
  static const std::vector<CommandExamples> all = {
      {"list", {"assay list", "assay list --manifest kernels.toml", "assay list --names --golden sets"}},
      {"verify",
       {"assay verify --manifest kernels.toml my_kernel",
        "assay verify --manifest kernels.toml --report page",
        "assay verify marlin_gemm_fp4 --at M=1,N=4096,K=4096",
        "assay verify dequant_fp4 --cases 1000 --seed 7 --mode checked --numerics strict"}},
      {"watch",
       {"assay watch --manifest kernels.toml my_kernel --cases 20",
        "assay watch --manifest kernels.toml --mode checked --quiet"}},
      {"check",
       {"assay check softmax.metal", "assay check softmax.metal softmax --threads 128 --dim N=1:2048",
        "assay check add.metal --buffer 'y=half[M,N]:out' --scalar eps=1e-5 --manifest-out add.toml"}},
      {"init",
       {"assay init --out first", "assay init softmax.metal",
        "assay init kernels.metal softmax --out drafts"}},
      {"load",
       {"assay load shaders/*.metal", "assay load attention.metal --include-dir shaders --constant 0=true"}},
      {"fuzz",
       {"assay fuzz --time 10m my_kernel --manifest kernels.toml",
        "assay fuzz --findings nightly --rounds 50", "assay replay nightly/FINDING.txt"}},
      {"replay",
       {"assay replay 'kernel=dequant_fp4 manifest=kernels/kernels.toml mode=checked "
        "operation=dequantize_fp4 K=9 N=3 group_size=8 regime=random seed=7'",
        "assay replay findings/FINDING.txt --trace",
        "assay replay --inputs mine.safetensors --kernel dequant_fp4 --mode checked"}},
      {"golden make",
       {"assay golden make --operation gemm_fp4 --out sets",
        "assay golden make --operation gemm_fp4 --shape M=1,N=256,K=512 --cases 2 --out sets",
        "assay golden make --from model.safetensors --tensor '*.mlp.*' --out sets"}},
      {"golden check", {"assay golden check sets", "assay golden check --all sets"}},
      {"golden show",
       {"assay golden show sets/gemm_fp4-1-0000.safetensors", "assay golden show model.safetensors"}},
      {"profile",
       {"assay profile marlin_gemm_fp4", "assay profile --manifest kernels.toml --report page",
        "assay profile --json profile.json"}},
      {"claims",
       {"assay claims docs/claims.toml", "assay claims docs/claims.toml --manifest kernels/kernels.toml"}},
      {"mutate",
       {"assay mutate --sample 20 dequant_fp4", "assay mutate --manifest kernels.toml --report page",
        "assay mutate --shard 1/4 --json part-1.json"}},
      {"repair",
       {"assay repair --manifest kernels.toml my_kernel", "assay repair my_kernel --cases 50 --jobs 4"}},
      {"merge",
       {"assay merge part-1.json part-2.json --report page",
        "assay merge part-1.json part-2.json --json all.json --junit all.xml"}},
      {"cache", {"assay cache", "assay cache clear"}},
      {"completion",
       {"assay completion bash > ~/.local/share/bash-completion/completions/assay",
        "assay completion zsh > ~/.assay-completion"}},
  };
  return all;
}

std::string examples_text(const std::string& command) {
  for (const auto& one : examples()) {
    if (one.command != command) continue;
    std::string text = "Examples:\n";
    for (const auto& line : one.lines) text += "  " + line + "\n";
    text.pop_back();
    return text;
  }
  return {};
}

}  // namespace assay::cli
