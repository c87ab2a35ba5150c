# The pages as a site: copies them and the files that they link to, as mkdocs wants all in one folder, and runs mkdocs.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: site.py FOLDER

Writes the site to FOLDER/site. Source files become text files of the site, links to folders links to their README.md."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[1]
stage, site = (pathlib.Path(sys.argv[1]).resolve() / name for name in ("pages", "site"))
navigation = """
  - README.md
  - Documentation: docs/README.md
  - Begin: [docs/getting-started.md, docs/start/cpp.md, docs/start/pytorch.md, docs/start/precision.md, docs/start/hpc.md, docs/start/compiler.md]
  - Use: [docs/features.md, docs/language.md, docs/layouts.md, docs/sequences.md, docs/training.md, docs/optimizers.md, docs/parallel.md, docs/c-interface.md, docs/precision.md, docs/numerics.md, docs/pytorch.md, docs/onnx.md, docs/report.md, docs/reliability.md, docs/packages.md, docs/stability.md]
  - Examples: [docs/examples/fine-tuning.md, docs/examples/encoder.md, docs/examples/table.md, docs/examples/experts.md, docs/examples/burgers.md, docs/examples/vae.md, docs/examples/surrogate.md, docs/examples/keywords.md, docs/examples/ppo.md]
  - Inside: [docs/architecture.md, docs/glossary.md, docs/renamed.md, docs/adding-an-op.md, docs/targets.md, docs/cost-model.md, docs/gpu-kernels.md, docs/gpu-counters.md, docs/testing.md, docs/amp-tests.md, CONTRIBUTING.md]
  - Why: [docs/rationale/minimum-cut.md, docs/rationale/static-shapes.md, docs/rationale/own-runtime.md, docs/rationale/own-interpreter.md, docs/rationale/llvm-upgrade.md]
  - Reference: [docs/reference/train-dialect.md, docs/reference/amp-dialect.md, docs/reference/kernel-dialect.md, docs/reference/phases.md, docs/reference/policies.md, docs/reference/train-passes.md, docs/reference/precision-passes.md, docs/reference/loss-scaling-passes.md, docs/reference/conversion-passes.md, docs/reference/kernel-passes.md, docs/reference/target-passes.md, docs/reference/cpu-passes.md, docs/reference/reference-target-passes.md]
  - Speed: [docs/speed.md, docs/precision-results.md, bench/README.md]
"""


def stage_page(page, waiting):
    """Copies a page with its links, and notes the files behind them."""
    text = page.read_text()

    def link(match):
        path, _, anchor = match[1].partition("#")
        file = (page.parent / path).resolve()
        if not path or re.match(r"[a-z]+:", path) or not file.exists():
            return match[0]
        if file.is_dir():
            index = file / "README.md"
            if not index.exists():  # a folder of sources has no page
                return "]()"
            file, path = index, os.path.join(path, "README.md")
        elif not file.suffix:
            path += ".txt"
        waiting.append(file)
        return f"]({path}{'#' + anchor if anchor else ''})"

    target = stage / page.relative_to(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    code = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.S)
    target.write_text("".join(part if i % 2 else re.sub(r"\]\(([^)\s]+)\)", link, part) for i, part in enumerate(code)))


def main():
    if not shutil.which("mkdocs"):
        sys.exit("site.py: expected mkdocs on PATH; Debian's package is mkdocs")
    shutil.rmtree(stage, ignore_errors=True)
    waiting, seen = [root / "README.md", root / "docs/README.md", *(root / "docs").rglob("*.md")], set()
    while waiting:
        file = waiting.pop()
        if file in seen or root not in file.parents:
            continue
        seen.add(file)
        if file.suffix == ".md":
            stage_page(file, waiting)
            continue
        target = stage / file.relative_to(root)
        target = target if target.suffix else target.with_suffix(".txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    config = stage.parent / "mkdocs.yml"
    config.write_text(f"site_name: ampc\ntheme: mkdocs\ndocs_dir: {stage}\nsite_dir: {site}\nnav:{navigation}"
                      "markdown_extensions: [tables, fenced_code, toc]\n")
    subprocess.run(["mkdocs", "build", "--quiet", "--strict", "-f", config], check=True)
    print(f"wrote {site}/index.html, {len(seen)} files")


main()
