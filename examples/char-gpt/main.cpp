// Trains a character-level GPT on licence texts, saves and reloads the model, and generates text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LossCurve.h"
#include "Text.h"
#include "Trigram.h"
#include "char_gpt.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

// CMakeLists.txt takes the sizes of the model from the file of the model.
constexpr int batchRows = CHAR_GPT_BATCH, context = CHAR_GPT_CONTEXT, defaultSteps = CHAR_GPT_STEPS;

struct Options {
  std::string text = "/usr/share/common-licenses", out = ".", prompt = "The license", device;
  int steps = defaultSteps, every = 100, characters = 300, threads = 0;
  uint64_t seed = 1;
};

static int usage() {
  std::cerr << "usage: char-gpt [--steps N] [--every N] [--threads N] [--seed N] [--text FOLDER] "
               "[--out FOLDER]\n"
               "                [--prompt TEXT] [--characters N] [--device cpu|cuda|cuda:N]\n";
  return 2;
}

static std::optional<Options> parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    std::string name = argv[i];
    if (i + 1 == argc)
      return std::nullopt;
    const char *value = argv[i + 1];
    if (name == "--text")
      options.text = value;
    else if (name == "--out")
      options.out = value;
    else if (name == "--prompt")
      options.prompt = value;
    else if (name == "--steps")
      options.steps = std::atoi(value);
    else if (name == "--every")
      options.every = std::max(1, std::atoi(value));
    else if (name == "--characters")
      options.characters = std::atoi(value);
    else if (name == "--threads")
      options.threads = std::atoi(value);
    else if (name == "--device")
      options.device = value;
    else if (name == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else
      return std::nullopt;
  }
  return options;
}

namespace {
/// Compiled model. Calls return true on success, and leave the reason of a failure in `error`.
class Model {
public:
  Model(const Options &given, uint64_t seed) {
    ampc_options options = {};
    options.size = sizeof options;
    options.threads = given.threads;
    options.seed = seed;
    if (!given.device.empty())
      options.device = given.device.c_str();
    char message[256] = "";
    options.error = message;
    options.error_bytes = sizeof message;
    if (char_gpt_create(&options, &state) != AMPC_OK) {
      state = nullptr;
      error = message;
    }
  }
  ~Model() {
    if (state)
      char_gpt_destroy(state);
  }
  Model(const Model &) = delete;

  bool valid() const { return state != nullptr; }

  /// Takes a training step; `loss` is the loss before the update.
  bool train(const Batch &batch, double &loss) {
    char_gpt_train_step_in in = {};
    in.size = sizeof in;
    in.token = batch.token.data();
    in.next = batch.next.data();
    ampc_train_out out = {};
    out.size = sizeof out;
    bool done = check(char_gpt_train_step(state, &in, &out));
    loss = out.loss;
    return done;
  }
  /// The mean loss over all characters of the validation parts.
  bool evaluate(const Validation &validation, double &loss) {
    Batch batch(batchRows, context);
    double sum = 0, characters = 0;
    for (size_t first = 0; first < validation.windows(); first += batchRows) {
      double asked = validation.fill(first, batch);
      float mean = 0;
      char_gpt_eval_in in = {};
      in.size = sizeof in;
      in.token = batch.token.data();
      in.next = batch.next.data();
      char_gpt_eval_out out = {};
      out.size = sizeof out;
      out.loss = &mean;
      if (!check(char_gpt_eval(state, &in, &out)))
        return false;
      sum += asked * mean;
      characters += asked;
    }
    loss = sum / characters;
    return true;
  }
  /// Goes on with `text`, drawing from the predicted distribution, sharpened a little.
  bool write(std::string &text, int characters, Random &random) {
    constexpr double temperature = 0.7;
    std::vector<int32_t> tokens = encode(text), window(context);
    std::vector<float> scores(context * vocabulary);
    for (int n = 0; n < characters; ++n) {
      // Tokens behind the last token have no influence: attention is causal.
      size_t length = std::min<size_t>(tokens.size(), context);
      std::copy(tokens.end() - length, tokens.end(), window.begin());
      char_gpt_predict_in in = {};
      in.size = sizeof in;
      in.token = window.data();
      char_gpt_predict_out out = {};
      out.size = sizeof out;
      out.out = scores.data();
      if (!check(char_gpt_predict(state, &in, &out)))
        return false;
      tokens.push_back(draw(&scores[(length - 1) * vocabulary], temperature, random));
      text += decode(tokens.back());
    }
    return true;
  }
  bool save(const std::string &path) { return check(char_gpt_save(state, path.c_str())); }
  bool load(const std::string &path) {
    return check(char_gpt_load(state, path.c_str(), AMPC_LOAD_WEIGHTS));
  }

  std::string error;

private:
  static int32_t draw(const float *scores, double temperature, Random &random) {
    double highest = *std::max_element(scores, scores + vocabulary), sum = 0, weight[vocabulary];
    for (int i = 0; i < vocabulary; ++i)
      sum += weight[i] = std::exp((scores[i] - highest) / temperature);
    double place = random.uniform() * sum;
    for (int i = 0; i < vocabulary; ++i)
      if ((place -= weight[i]) < 0)
        return i;
    return vocabulary - 1;
  }
  bool check(ampc_status status) {
    if (status < 0)
      error = std::string(char_gpt_status_string(status)) + ": " + char_gpt_last_error(state);
    return status >= 0;
  }
  char_gpt_state *state = nullptr;
};
} // namespace

/// Runs all steps, and fills the curve on the way.
static bool train(Model &model, const std::vector<Document> &documents, const Options &options,
                  LossCurve &curve) {
  Validation validation(documents, context);
  Random random(options.seed);
  Batch batch(batchRows, context);
  auto begin = std::chrono::steady_clock::now();
  std::printf("   step  training  validation   seconds\n");
  for (int step = 1; step <= options.steps; ++step) {
    drawTraining(documents, random, batch);
    double loss;
    if (!model.train(batch, loss))
      return false;
    curve.training.push_back({step, loss});
    if (step % options.every != 0 && step != options.steps)
      continue;
    double validationLoss;
    if (!model.evaluate(validation, validationLoss))
      return false;
    curve.validation.push_back({step, validationLoss});
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%7d  %8.3f  %10.3f  %8.1f\n", step, loss, validationLoss, seconds.count());
    std::fflush(stdout);
  }
  return true;
}

static int fail(const std::string &message) {
  std::cerr << "char-gpt: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  std::optional<Options> options = parse(argc, argv);
  if (!options || options->steps < 1)
    return usage();
  std::vector<Document> documents = readFolder(options->text);
  if (documents.empty())
    return fail("expected text files in " + options->text + ", but found none");
  std::error_code error;
  std::filesystem::create_directories(options->out, error);
  std::string checkpoint = options->out + "/char-gpt.safetensors",
              picture = options->out + "/loss.svg";

  size_t characters = 0, held = 0;
  for (const Document &document : documents) {
    characters += document.split;
    held += document.tokens.size() - document.split;
  }
  LossCurve curve;
  curve.reference = trigramLoss(documents);
  curve.referenceName = "smoothed 3-gram";
  std::printf("%zu texts, %zu characters to learn from, %zu to validate with (the last tenth of "
              "each text)\n",
              documents.size(), characters, held);
  {
    Model model(*options, options->seed);
    if (!model.valid() || !train(model, documents, *options, curve) || !model.save(checkpoint))
      return fail(model.error);
  }
  std::printf("validation loss %.3f nats per character; smoothed 3-gram: %.3f\n",
              curve.validation.back().second, curve.reference);
  if (!curve.write(picture))
    return fail("could not write " + picture);

  // A second state with other first values, so that its text proves the contents of the file.
  Model reloaded(*options, options->seed + 1);
  Random random(options->seed);
  std::string text = options->prompt;
  if (!reloaded.valid() || !reloaded.load(checkpoint) ||
      !reloaded.write(text, options->characters, random))
    return fail(reloaded.error);
  std::printf("saved %s, reloaded it, and it writes:\n----\n%s\n----\n", checkpoint.c_str(),
              text.c_str());
  return 0;
}
